// Whether a kernel that shares out rounds asks for the workgroup's size for nothing else.
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/memory_accesses.h"

namespace geak::clang_tool::transforms {
namespace {

bool depends_on_block(LaunchIndex index, ElementRounds::Spread spread) {
  if (index.axis != 0) return false;
  return index.value == LaunchValue::thread || index.value == LaunchValue::block_size ||
         spread == ElementRounds::Spread::grid;
}

/// Uses of a work-item's place, in the heads of the loops or elsewhere.
class Places {
 public:
  Places(const KernelView& kernel, const std::vector<ElementRounds>& loops)
      : kernel_(kernel), spread_(loops.front().spread) {
    for (const ElementRounds& rounds : loops) {
      heads_.push_back(rounds.loop->begin);
      heads_.push_back(rounds.loop->step);
    }
  }

  bool only_in_heads() const { return only_in_heads(kernel_.body(), 0); }

 private:
  bool is_in_head(const clang::Stmt& node) const {
    const auto at = kernel_.source.range(node);
    return at && std::ranges::any_of(heads_, [&](const clang::Expr* head) {
             const auto range = kernel_.source.range(*head);
             return range && range->begin <= at->begin && at->end <= range->end;
           });
  }

  bool depends(const clang::Stmt& root) const {
    return std::ranges::any_of(launch_index_uses(root), [&](const LaunchIndexUse& use) {
      return depends_on_block(use.index, spread_);
    });
  }

  /// Variables that hold the place are followed to where they are used.
  bool only_in_heads(const clang::Stmt& root, unsigned depth) const {
    if (depth > 4) return false;
    std::vector<const clang::VarDecl*> holders;
    bool all = true;
    walk(root, [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(&node))
        for (const clang::Decl* declared : statement->decls())
          if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared))
            if (variable->hasInit() && !is_in_head(*variable->getInit()) &&
                depends(*variable->getInit()))
              holders.push_back(variable);
      return true;
    });
    for (const LaunchIndexUse& use : launch_index_uses(root)) {
      if (!depends_on_block(use.index, spread_) || is_in_head(*use.expression)) continue;
      const auto at = kernel_.source.range(*use.expression);
      all = all && at && std::ranges::any_of(holders, [&](const clang::VarDecl* holder) {
              const auto range = kernel_.source.range(*holder->getInit());
              return range && range->begin <= at->begin && at->end <= range->end;
            });
    }
    return all && std::ranges::all_of(holders, [&](const clang::VarDecl* holder) {
             return is_used_in_heads(*holder);
           });
  }

  bool is_used_in_heads(const clang::VarDecl& holder) const {
    bool all = true;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (reference != nullptr && reference->getDecl() == &holder) all = all && is_in_head(node);
      return all;
    });
    return all;
  }

  const KernelView& kernel_;
  ElementRounds::Spread spread_;
  std::vector<const clang::Expr*> heads_;
};

/// What is done as often as there are work-items must leave nothing behind.
bool only_loops_store(const KernelView& kernel, const std::vector<ElementRounds>& loops) {
  return std::ranges::all_of(kernel.body().body(), [&](const clang::Stmt* statement) {
    if (std::ranges::find(loops, statement, [](const ElementRounds& rounds) {
          return static_cast<const clang::Stmt*>(rounds.loop->statement);
        }) != loops.end())
      return true;
    std::string problem;
    const auto accesses = memory_accesses(kernel, *statement, problem);
    return accesses && std::ranges::none_of(*accesses, &MemoryAccess::written);
  });
}

}  // namespace

std::variant<ElementRounds::Spread, Refusal> rounds_for_any_block(const KernelView& kernel,
                                                                  Draft& draft) {
  if (auto refusal = tied_to_workgroup(kernel)) return *refusal;
  const std::vector<ElementRounds> loops = element_loops(kernel, draft);
  if (loops.empty()) return Refusal{"no loop shares out rounds among work-items"};
  for (const ElementRounds& rounds : loops) {
    if (rounds.spread != loops.front().spread)
      return Refusal{"loops share out rounds in different ways"};
    if (auto refusal = tied_to_order(kernel, rounds, draft)) return *refusal;
  }
  if (!only_loops_store(kernel, loops)) return Refusal{"work-items store outside of the loops"};
  if (!Places(kernel, loops).only_in_heads())
    return Refusal{"a work-item's place is asked for outside of the loops' heads"};
  return loops.front().spread;
}

}  // namespace geak::clang_tool::transforms

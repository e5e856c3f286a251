#include "clang-tool/transforms/kept_rows.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <map>
#include <set>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/uniform_values.h"
#include "clang-tool/transforms/ways_to_memory.h"

namespace geak::clang_tool::transforms {
namespace {

constexpr unsigned deepest = 8;
constexpr std::uint64_t widest_element = 8;

const clang::Expr* store_target(const clang::Stmt& node) {
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node))
    return binary->isAssignmentOp() ? binary->getLHS() : nullptr;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
    return unary->isIncrementDecrementOp() ? unary->getSubExpr() : nullptr;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node))
    return plain_assignment_target(*call);
  return nullptr;
}

bool is_own(const clang::VarDecl* variable) {
  return variable != nullptr &&
         (variable->isLocalVarDeclOrParm() || variable->hasAttr<clang::CUDASharedAttr>());
}

bool stays_off_memory(const clang::CallExpr& call, unsigned depth);

/// A function of the unit's own that stores to its locals and to LDS alone; it may wait for others.
bool stays_off_memory(const clang::Stmt& body, unsigned depth) {
  bool off = true;
  walk(body, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    if (llvm::isa<clang::AtomicExpr, clang::AsmStmt, clang::LambdaExpr>(&node)) off = false;
    if (const clang::Expr* target = store_target(node)) {
      off = off && is_own(root_variable(*target));
      return off;
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node))
      off = off && stays_off_memory(*call, depth + 1);
    return off;
  });
  return off;
}

bool stays_off_memory(const clang::CallExpr& call, unsigned depth) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || depth > deepest) return false;
  if (is_barrier(call) || is_value_call(call)) return true;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method != nullptr && !method->isStatic()) return false;
  for (const clang::ParmVarDecl* parameter : callee->parameters()) {
    const clang::QualType type = parameter->getType();
    if (type->isPointerType() ||
        (type->isReferenceType() && !type->getPointeeType().isConstQualified()))
      return false;
  }
  const clang::FunctionDecl* definition = callee->getDefinition();
  if (definition == nullptr || !definition->hasBody()) return callee->getBuiltinID() != 0;
  if (is_in_system_header(*definition)) return !callee->getReturnType()->isVoidType();
  return stays_off_memory(*definition->getBody(), depth);
}

class Finder {
 public:
  Finder(const KernelView& kernel, Draft& draft) : kernel_(kernel), draft_(draft) {}

  std::optional<KeptRows> find(std::string& problem) {
    problem = "no loops of one block walk over a row in the same steps";
    const auto loops = loops_of_workgroups();
    if (loops.size() < 2) return std::nullopt;
    if (const auto other = look_at_stores()) {
      problem = *other;
      return std::nullopt;
    }
    std::optional<KeptRows> found;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node); block && !found)
        found = in_block(*block, loops, problem);
      return !found;
    });
    if (found) require(*found);
    return found;
  }

 private:
  /// By the loop's statement. Numbers of such rounds do not overflow: both sizes are small.
  std::map<const clang::Stmt*, ElementRounds> loops_of_workgroups() const {
    std::map<const clang::Stmt*, ElementRounds> found;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      const auto loop = as_strided_loop(node, kernel_.unit.context());
      if (!loop) return !llvm::isa<clang::LambdaExpr>(&node);
      const clang::Stmt& body = *loop->statement->getBody();
      const auto extent = kernel_.source.statement_range(body);
      if (!extent || holds_any<clang::ContinueStmt>(body) ||
          kernel_.unit.context().getTypeSize(loop->variable->getType()) < 32 ||
          spread_of(kernel_, *loop, draft_) != ElementRounds::Spread::workgroup)
        return true;
      ElementRounds rounds;
      rounds.variable = loop->variable;
      rounds.body = {&body};
      rounds.end = loop->end;
      rounds.extent = *extent;
      rounds.loop = loop;
      found.emplace(&node, std::move(rounds));
      return false;
    });
    return found;
  }

  /// Where the kernel stores to; a reason where that is not plain.
  std::optional<std::string> look_at_stores() {
    if (auto way = other_way_to_memory(kernel_.function)) return way;
    std::optional<std::string> reason;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      if (reason) return false;
      if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node)) {
        if (as_launch_index(*whole)) return false;
        if (whole->getType().isVolatileQualified()) reason = "the kernel accesses volatile memory";
      }
      if (llvm::isa<clang::AtomicExpr, clang::AsmStmt, clang::LambdaExpr, clang::GotoStmt>(&node))
        reason = "the kernel has atomic operations, assembly, lambdas or jumps";
      if (const clang::Expr* target = store_target(node)) {
        if (is_own(root_variable(*target))) return true;
        const clang::Expr* pointer = accessed_pointer(*target);
        const auto origin =
            pointer == nullptr ? std::nullopt : pointer_origin(kernel_, *pointer, *pointer);
        if (origin)
          stores_.emplace_back(origin->parameter, target);
        else
          reason = "what the kernel stores to is not plain";
      } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
        if (!stays_off_memory(*call, 0) && !is_plain_load(*call))
          reason = "the kernel calls what may store to memory";
      }
      return true;
    });
    return reason;
  }

  static bool is_plain_load(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    return callee != nullptr && callee->getIdentifier() != nullptr && callee->getName() == "__ldg";
  }

  std::optional<KeptRows> in_block(const clang::CompoundStmt& block,
                                   const std::map<const clang::Stmt*, ElementRounds>& loops,
                                   std::string& problem) {
    // What begins at a case has not gone through the loops before it.
    if (std::ranges::any_of(block.body(), [](const clang::Stmt* statement) {
          return llvm::isa<clang::SwitchCase>(statement);
        }))
      return std::nullopt;
    rest_.clear();
    for (const clang::Stmt* statement : block.body())
      if (!rest_.empty() || loops.contains(statement)) rest_.push_back(statement);
    KeptRows found;
    found.block = &block;
    for (const clang::Stmt* statement : block.body()) {
      const auto known = loops.find(statement);
      if (known == loops.end()) continue;
      const ElementRounds& rounds = known->second;
      if (!found.loops.empty() && head(rounds) != head(found.loops.front().rounds)) continue;
      if (!head_stays(rounds)) continue;
      if (auto elements = elements_of(rounds))
        found.loops.push_back({rounds, std::move(*elements)});
    }
    if (found.loops.size() < 2) return std::nullopt;
    choose(found);
    problem = "no element of a row is met again";
    return found.kept.empty() ? std::nullopt : std::optional(std::move(found));
  }

  /// Equal words for loops whose rounds a work-item does for the same numbers.
  std::string head(const ElementRounds& rounds) const {
    return kernel_.source.text(*rounds.loop->begin) + ";" + kernel_.source.text(*rounds.loop->end) +
           ";" + kernel_.source.text(*rounds.loop->step) + ";" +
           rounds.variable->getType().getCanonicalType().getAsString() + ";" +
           rounds.loop->end->getType().getCanonicalType().getAsString();
  }

  bool head_stays(const ElementRounds& rounds) const {
    for (const clang::Expr* part : {rounds.loop->begin, rounds.loop->end, rounds.loop->step})
      if (kernel_.source.text(*part).empty() || !memory_reads(*part).empty() ||
          !is_pure(*part, kernel_.unit.context()) || !stays(*part, rounds, 0))
        return false;
    return true;
  }

  /// What comes before the loops has happened when they begin.
  bool changes_from_first_loop(const clang::VarDecl& variable) const {
    return std::ranges::any_of(
        rest_, [&](const clang::Stmt* statement) { return may_change(*statement, variable); });
  }

  /// Whether the value is the same from the first loop on, but for the round's number. What a round
  /// declares is followed.
  bool stays(const clang::Expr& expression, const ElementRounds& rounds, unsigned depth) const {
    if (depth > deepest) return false;
    return std::ranges::all_of(variables_in(expression), [&](const clang::VarDecl* variable) {
      if (variable == rounds.variable) return true;
      if (variable->getType()->isReferenceType() || variable->hasAttr<clang::CUDASharedAttr>() ||
          changes_from_first_loop(*variable))
        return false;
      return !rounds.is_own(kernel_, *variable) ||
             (variable->hasInit() && stays(*variable->getInit(), rounds, depth + 1));
    });
  }

  /// Nothing where the loop touches memory in ways that are not plain.
  std::optional<std::vector<RowElement>> elements_of(const ElementRounds& rounds) const {
    std::string why;
    const SideBySide sides(kernel_, rounds);
    const auto accesses = memory_accesses(kernel_, *rounds.body.front(), why);
    if (!accesses || declares_static(*rounds.body.front())) return std::nullopt;
    std::vector<RowElement> found;
    for (const MemoryAccess& access : *accesses) {
      const auto* parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(access.root);
      if (parameter == nullptr || !kernel_.source.range(*access.place)) continue;
      const auto element = sides.element(access);
      if (!element || element->bytes > widest_element || !stays(*access.place, rounds, 0)) continue;
      auto known = std::ranges::find(found, element->key,
                                     [](const RowElement& one) { return one.element.key; });
      if (known == found.end())
        known = found.insert(found.end(), {.element = *element, .parameter = parameter});
      const bool certain = !access.conditional && access.loops.empty();
      known->read_first = known->read_first || (certain && access.read);
      known->set = known->set || (certain && access.written && !access.read);
      known->accesses.push_back(access);
    }
    return found;
  }

  /// The body stands several times: what is one for all of them must not.
  static bool declares_static(const clang::Stmt& body) {
    bool found = false;
    walk(body, [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node))
        for (const clang::Decl* declared : declaration->decls()) {
          const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
          found = found || (variable != nullptr && !variable->hasLocalStorage());
        }
      return !found;
    });
    return found;
  }

  static const RowElement* find(const RowLoop& loop, const std::string& key) {
    const auto found = std::ranges::find(loop.elements, key,
                                         [](const RowElement& one) { return one.element.key; });
    return found == loop.elements.end() ? nullptr : &*found;
  }

  void choose(KeptRows& rows) const {
    std::set<std::string> looked_at;
    for (std::size_t first = 0; first < rows.loops.size(); ++first)
      for (const RowElement& one : rows.loops[first].elements) {
        const std::string& key = one.element.key;
        if (!looked_at.insert(key).second) continue;
        const bool reads = std::ranges::any_of(
            one.accesses, [](const MemoryAccess& access) { return access.read; });
        if (!one.read_first && (!one.set || reads)) continue;
        bool again = false;
        for (std::size_t later = first + 1; later < rows.loops.size(); ++later) {
          const RowElement* met = find(rows.loops[later], key);
          again = again || (met != nullptr &&
                            std::ranges::any_of(met->accesses, [](const MemoryAccess& access) {
                              return access.read;
                            }));
        }
        if (!stores_are_own(rows, *one.parameter, key)) continue;
        if (again)
          rows.kept.push_back(key);
        else if (one.read_first)
          rows.ahead.push_back(key);
      }
  }

  /// Whatever is stored to the parameter is the very element, in the round that it belongs to, by
  /// an assignment.
  bool stores_are_own(const KeptRows& rows, const clang::ParmVarDecl& parameter,
                      const std::string& key) const {
    return std::ranges::all_of(stores_, [&](const auto& store) {
      if (store.first != &parameter) return true;
      return std::ranges::any_of(rows.loops, [&](const RowLoop& loop) {
        const RowElement* element = find(loop, key);
        return element != nullptr &&
               std::ranges::any_of(element->accesses, [&](const MemoryAccess& access) {
                 return access.place == store.second && is_assigned(loop, *access.place);
               });
      });
    });
  }

  static bool is_assigned(const RowLoop& loop, const clang::Expr& place) {
    bool assigned = false;
    walk(*loop.rounds.body.front(), [&](const clang::Stmt& node, const Ancestors&) {
      assigned =
          assigned || (!llvm::isa<clang::UnaryOperator>(node) && store_target(node) == &place);
      return !assigned;
    });
    return assigned;
  }

  /// What other parameters store must not reach what is kept or read ahead.
  void require(const KeptRows& rows) {
    for (const RowLoop& loop : rows.loops)
      for (const RowElement& one : loop.elements) {
        const auto used = [&](const std::vector<std::string>& keys) {
          return std::ranges::find(keys, one.element.key) != keys.end();
        };
        if (!used(rows.kept) && !used(rows.ahead)) continue;
        for (const auto& [target, place] : stores_)
          if (target != one.parameter) require_apart(*one.parameter, *target, draft_);
      }
  }

  const KernelView& kernel_;
  Draft& draft_;
  std::vector<std::pair<const clang::ParmVarDecl*, const clang::Expr*>> stores_;
  std::vector<const clang::Stmt*> rest_;  ///< of the block that is looked at, from its loops on
};

}  // namespace

std::optional<KeptRows> kept_rows(const KernelView& kernel, Draft& draft, std::string& problem) {
  return Finder(kernel, draft).find(problem);
}

}  // namespace geak::clang_tool::transforms

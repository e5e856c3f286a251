// A loop in steps of the whole grid, `for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i +=
// blockDim.x * gridDim.x)`, has one round at most for each work-item where the grid reaches n: it
// becomes `i = ...; if (i >= n) return;`. Nothing is gained by it alone: it is the form in which
// other transforms see items, and the round's statements as the kernel's own.
#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "clang-tool/transforms/block_names.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/launch_constants.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// The kernel's last statement, if it is such a loop.
std::optional<StridedLoop> grid_loop(const KernelView& kernel, const Draft& draft) {
  const clang::CompoundStmt& body = kernel.body();
  if (body.body_empty()) return std::nullopt;
  const auto loop = as_strided_head(*body.body_back(), kernel.unit.context());
  if (!loop || spread_of(kernel, *loop, draft) != ElementRounds::Spread::grid) return std::nullopt;
  return loop;
}

/// What leaves a round leaves the kernel. False where that comes out of a macro.
bool leave_by_return(const KernelView& kernel, const clang::Stmt& body, TextEdits& edits) {
  bool whole = true;
  walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (llvm::isa<clang::LambdaExpr>(&node)) return false;
    const bool breaks = llvm::isa<clang::BreakStmt>(&node);
    if (!breaks && !llvm::isa<clang::ContinueStmt>(&node)) return whole;
    const bool own = std::ranges::none_of(ancestors, [&](const clang::Stmt* ancestor) {
      return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(
                 ancestor) ||
             (breaks && llvm::isa<clang::SwitchStmt>(ancestor));
    });
    if (!own) return whole;
    const auto range = kernel.source.range(node);
    if (range) edits.replace(*range, "return");
    whole = whole && range;
    return whole;
  });
  return whole;
}

class SingleRound final : public Transform {
 public:
  std::string name() const override { return "single_round"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "takes a loop in steps of the grid for the one round that it has, for other steps to "
           "see";
  }

  std::vector<json> parameters(const KernelView& kernel) const override {
    if (!grid_loop(kernel, Draft{})) return {};
    return {json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    const auto loop = grid_loop(kernel, draft);
    if (!loop) return Refusal{"the kernel does not end with a loop in steps of the grid"};
    if (!draft.launch.keeps_launch()) return Refusal{"an earlier step changes the launch"};
    const auto bound = expanded(kernel, *loop->end,
                                [](const clang::VarDecl&) { return std::optional<std::string>(); });
    if (!bound) return Refusal{"the host cannot tell how many items there are"};
    if (const auto constant = launch_constant(kernel, *loop->end))
      for (std::size_t i = 0; i < constant->seen.size() && i < kernel.runs.size(); ++i)
        if (constant->seen[i] >
            static_cast<std::int64_t>(kernel.runs[i].grid[0]) * kernel.runs[i].block[0])
          return Refusal{"the grids seen are smaller than the number of items"};
    if (auto refusal = write(kernel, *loop, draft)) return refusal;
    // Twice the grid is within all types, so that the first step of the loop ends it.
    constexpr std::uint64_t slack = 0x40000000;
    draft.require(items_reach(*bound, GlobalIndex{0, {}}, slack));
    return std::nullopt;
  }

 private:
  static std::optional<Refusal> write(const KernelView& kernel, const StridedLoop& loop,
                                      Draft& draft) {
    const clang::Stmt& body = *loop.statement->getBody();
    std::string number = kernel.source.text(*loop.statement->getInit());
    while (!number.empty() && (number.back() == ';' || number.back() == ' ')) number.pop_back();
    const std::string end = kernel.source.text(*loop.end);
    const auto whole = kernel.source.statement_range(*loop.statement);
    const auto inner = kernel.source.statement_range(body);
    TextEdits edits;
    if (number.empty() || end.empty() || !whole || !inner || !leave_by_return(kernel, body, edits))
      return Refusal{"the loop comes out of a macro"};
    const bool block = llvm::isa<clang::CompoundStmt>(&body);
    const TextRange kept = block ? TextRange{inner->begin + 1, inner->end - 1} : *inner;
    const std::string name = loop.variable->getNameAsString();
    const std::string leave = number + ";\nif (" + name + " >= (" + end + ")) return;\n";
    if (takes_names(kernel, loop, body))
      return Refusal{"the loop declares a name again that the kernel has already"};
    edits.replace({whole->begin, kept.begin}, leave);
    edits.replace({kept.end, whole->end}, "");
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }

  static bool takes_names(const KernelView& kernel, const StridedLoop& loop,
                          const clang::Stmt& body) {
    if (names_meet(kernel, body)) return true;
    return std::ranges::count(own_names(kernel), loop.variable->getNameAsString()) != 0;
  }
};

}  // namespace

const Transform& single_round() {
  static const SingleRound transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace clang {
class ForStmt;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// Work that work-items share out round by round, each round with a number of its own from 0 on:
/// a loop from the work-item's number on in steps of the workgroup's or the grid's size, or a
/// kernel whose work-items take one item each.
struct ElementRounds {
  enum class Spread { workgroup, grid };

  Spread spread = Spread::workgroup;
  const clang::VarDecl* variable = nullptr;  ///< the round's number
  std::vector<const clang::Stmt*> body;      ///< what a round does, as statements
  /// Bound of the numbers as it is compared; null: every work-item has an item.
  const clang::Expr* end = nullptr;
  TextRange extent;  ///< variables declared in it are a round's own

  std::optional<StridedLoop> loop;  ///< nothing: one item each
  // Of one item each:
  const clang::DeclStmt* number = nullptr;         ///< declares `variable`
  std::vector<const clang::Expr*> other_ways_out;  ///< alternatives of the early return

  bool is_own(const KernelView& kernel, const clang::VarDecl& variable) const;
};

/// Both factors of a product. That of gridDim and blockDim is an operator of their classes in some
/// of HIP's headers.
std::optional<std::pair<const clang::Expr*, const clang::Expr*>> as_product(
    const clang::Expr& expression);

/// How a loop's rounds are spread, if they are so from the work-item's number on.
std::optional<ElementRounds::Spread> spread_of(const KernelView& kernel, const StridedLoop& loop,
                                               const Draft& draft);

/// Loops of the kernel that all work-items of the spread reach, in source order.
std::vector<ElementRounds> element_loops(const KernelView& kernel, const Draft& draft);

/// The kernel as one item for each work-item along x.
std::variant<ElementRounds, Refusal> element_items(const KernelView& kernel, const Draft& draft);

/// Why the rounds may not be done by other work-items, or in another order, than they are: a round
/// needs what another one stores or leaves behind, depends on who does it, or what it touches is
/// used elsewhere with no barrier between. `draft` gets what the host must ask.
std::optional<Refusal> tied_to_order(const KernelView& kernel, const ElementRounds& rounds,
                                     Draft& draft);

/// The same value for all work-items among which the rounds are spread. A value that all of them
/// read from one address is: were it stored meanwhile, they would race.
bool is_same_for_all(const KernelView& kernel, const ElementRounds& rounds,
                     const clang::Expr& expression);

/// How a kernel that works in such rounds alone is spread, so that workgroups of any size along x
/// do the same. `draft` gets what the host must ask.
std::variant<ElementRounds::Spread, Refusal> rounds_for_any_block(const KernelView& kernel,
                                                                  Draft& draft);

}  // namespace geak::clang_tool::transforms

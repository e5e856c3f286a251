#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/workgroup_run.h"

namespace geak::clang_tool::transforms {

/// What a loop's rounds gather in a local variable of outside of the loop, so that any share of
/// them may be gathered apart and the shares be put together afterwards.
struct Accumulation {
  const clang::VarDecl* variable = nullptr;
  Combination combination = Combination::sum;
  std::string function = {};  ///< qualified, of `least` and `greatest`; empty: comparisons
  /// Where a branch takes a better value: what it notes beside it. Then the first of equal ones
  /// counts, or the `last`.
  std::vector<const clang::VarDecl*> noted = {};
  bool last = false;
  /// Statements that take something in, in source order.
  std::vector<const clang::Stmt*> places = {};

  bool is_extreme() const {
    return combination == Combination::least || combination == Combination::greatest;
  }
  /// Gathering what is gathered already changes nothing.
  bool is_idempotent() const {
    return is_extreme() || combination == Combination::all_bits ||
           combination == Combination::any_bits;
  }
};

/// All variables of outside that the loop's rounds change, where each of them is such a sum or
/// extreme and is not looked at otherwise; else nothing, and why.
std::optional<std::vector<Accumulation>> accumulations(const KernelView& kernel,
                                                       const CountedLoop& loop,
                                                       std::string& problem);

}  // namespace geak::clang_tool::transforms

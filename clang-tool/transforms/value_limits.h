#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// How large integers of a kernel can become, for transforms that need less than their type's
/// range: sums, products, quotients and remainders of launch values, parameters, counted loops'
/// variables, constants, and whatever has an unsigned type. Values are followed as what is never
/// negative and at most a C++ double that the host works out from the launch (exact below 2^53).
/// Unsigned arithmetic that wraps stays below that, signed arithmetic does not wrap; only a cast to
/// a signed type no wider than what it casts may turn a large value negative: those are limits that
/// the host tests. Unlike ReadableRange, which speaks of the rounds of one loop, it speaks of every
/// place of the kernel. Later steps may launch other workgroups: items that do anything are the
/// same then, and so are their values.
class ValueLimits {
 public:
  ValueLimits(const KernelView& kernel, const Draft& draft);

  /// The largest value, as text of a double; nothing where it may be negative or is not known.
  std::optional<std::string> most(const clang::Expr& expression);
  /// Whether it is at most `value` and never negative in what runs the variant, given what
  /// `require` asks for then.
  bool at_most(const clang::Expr& expression, std::uint32_t value);
  /// Whether a largest value is what an unsigned type of 32 bits allows, or more: it tells nothing.
  static bool is_boundless(const std::string& most);
  /// Adds what the answers rest on to the variant's guard.
  void require(Draft& draft) const;

 private:
  using Limits = std::set<std::string>;
  struct Loop {
    const clang::VarDecl* variable = nullptr;
    const clang::Expr* begin = nullptr;
    const clang::Expr* end = nullptr;
    bool end_included = false;
    std::optional<std::string> constant_step;
    const clang::Expr* step = nullptr;  ///< where it is no constant
  };

  void add_loop(const clang::Stmt& node);
  bool type_holds_at_most(const clang::Expr& expression, std::uint32_t value, unsigned depth) const;

  std::optional<std::string> follow(const clang::Expr& expression, unsigned depth);
  std::optional<std::string> of_cast(const clang::Expr& cast, const clang::Expr& inner,
                                     unsigned depth);
  std::optional<std::string> of_binary(const clang::Expr& binary, unsigned depth);
  /// A largest value shifted right by a constant.
  std::string shifted(const std::string& left, const clang::Expr& by) const;
  std::optional<std::string> less_by(const clang::Expr& whole, const clang::Expr& part);
  std::optional<std::string> of_variable(const clang::VarDecl& variable, unsigned depth);
  std::optional<std::string> of_loop_variable(const Loop& loop, unsigned depth);
  std::optional<std::string> of_launch(LaunchIndex index) const;
  std::optional<std::string> of_type(clang::QualType type) const;

  const KernelView& kernel_;
  bool launch_is_kept_;
  std::vector<Loop> loops_;
  Limits limits_;
};

}  // namespace geak::clang_tool::transforms

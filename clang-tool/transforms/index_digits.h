#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/global_index.h"

namespace geak::clang_tool::transforms {

/// `index / a / b % c`: what stands below the digit (a, b) and how many values it has (c).
struct Digit {
  const clang::VarDecl* variable = nullptr;
  std::vector<std::string> below;  ///< factors: parameters that stay as they are, constants
  std::vector<std::string> radix;  ///< empty for the topmost digit
};

/// Digits into which a kernel takes a work-item's number apart: several items that differ by one in
/// one digit have all others in common.
class IndexDigits {
 public:
  IndexDigits(const KernelView& kernel, const GlobalIndex& index);

  /// Variables that are a digit or a quotient of the index.
  const std::vector<Digit>& digits() const { return digits_; }
  const Digit* find(const std::string& name) const;

  /// How much each variable grows from an item to the next in `digit`, as a product; empty text:
  /// not at all. What is not in it is not known. Holds where the digit of the first item is a
  /// multiple of the number of items, and so is its radix, and no factor is negative.
  std::map<const clang::VarDecl*, std::string> growth(const Digit& digit) const;

 private:
  std::optional<std::vector<std::string>> quotient(const clang::Expr& expression) const;
  std::optional<std::vector<std::string>> factors(const clang::Expr& expression) const;
  std::optional<Digit> as_digit(const clang::VarDecl& variable) const;

  const KernelView& kernel_;
  const GlobalIndex& index_;
  std::vector<Digit> digits_;
};

}  // namespace geak::clang_tool::transforms

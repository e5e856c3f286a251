#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/transform.h"
#include "support/pass_rule.h"

namespace clang {
class ArraySubscriptExpr;
class Expr;
class ParmVarDecl;
class VarDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// What a kernel's addresses follow from, as operations that a PassRule evaluates: launch values
/// along x, integer parameters, constants and arithmetic of them. What is none of these is unknown.
class PassValues {
 public:
  PassValues(const KernelView& kernel, support::PassRule& rule) : kernel_(kernel), rule_(rule) {}

  /// Index of the operation whose value the expression has.
  int value_of(const clang::Expr& expression);

 private:
  int add(int kind, const clang::Expr& typed, int left, int right, std::int64_t value);
  int cast(const clang::Expr& cast, const clang::Expr& inner);
  int variable(const clang::Expr& reference, const clang::VarDecl& variable);
  int unknown(const clang::Expr& typed);

  const KernelView& kernel_;
  support::PassRule& rule_;
  std::map<const clang::VarDecl*, int> known_;
};

/// Adds to the rule every access of buffers that the kernel writes. The reason where an access is
/// no plain element of a pointer parameter, or buffers may overlap.
std::optional<Refusal> add_accesses(const KernelView& kernel, support::PassRule& rule);

/// `buffer[...]` in the kernel's body.
std::vector<const clang::ArraySubscriptExpr*> elements_of(const KernelView& kernel,
                                                          const clang::ParmVarDecl& buffer);

}  // namespace geak::clang_tool::transforms

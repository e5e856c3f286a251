#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace clang {
class ParmVarDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// C++ condition on the host: so many bytes (text of a double) from the pointer on lie in its
/// allocation.
std::string readable(const std::string& pointer, const std::string& bytes);

/// What a loop reads over all of its rounds, for transforms that read ahead of a way out of it. The
/// elements' greatest offset follows from the arguments: indices are sums and products of what is
/// not negative, and each part is greatest where its variables are (a loop's variable at its end, a
/// work-item's number before the bound of an early return). The host compares it to the allocation.
class ReadableRange {
 public:
  ReadableRange(const KernelView& kernel, const CountedLoop& loop, const Draft& draft);

  /// Whether an element that the loop reads is known to be readable in all rounds, given what
  /// `require` then asks of the launch.
  bool add(const clang::Expr& element);
  /// Adds the conditions for all elements added.
  void require(Draft& draft) const;

 private:
  /// A value's largest, as C++ over the host's arguments in double: exact below 2^53.
  struct Bound {
    std::string text;
    std::optional<std::int64_t> constant;
  };

  std::optional<Bound> bound(const clang::Expr& expression, unsigned depth);
  std::optional<Bound> bound_of_variable(const clang::VarDecl& variable, unsigned depth);
  std::optional<Bound> bound_of_end(const clang::Expr& end, unsigned depth);
  std::optional<Bound> bound_of_loop_variable(const CountedLoop& loop, unsigned depth);
  std::optional<Bound> bound_by_return(const clang::VarDecl& variable, unsigned depth);
  std::optional<Bound> bound_of_launch(LaunchIndex index) const;
  bool lies_in_array(const clang::Expr& element);

  const KernelView& kernel_;
  const CountedLoop& loop_;
  bool launch_is_kept_;
  std::vector<CountedLoop> enclosing_;
  std::set<std::string> not_negative_;
  /// By parameter and the text of what is not constant in the offset: the largest constant and the
  /// element's size in bytes.
  std::map<std::pair<const clang::ParmVarDecl*, std::string>, std::pair<std::int64_t, std::int64_t>>
      reads_;
};

}  // namespace geak::clang_tool::transforms

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang-tool/transforms/source_edit.h"
#include "clang-tool/transforms/transform.h"

namespace clang {
class ParmVarDecl;
class Stmt;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// Rewrites statements of the kernel's own block for a workgroup that serves one item. All of its
/// work-items compute the item's locals, the same for each, from memory that the kernel does not
/// store to: other items may store while some have read and others have not. What changes memory
/// the first alone does. So all go the same way and meet at every barrier. Statements come in their
/// order.
class TeamLeader {
 public:
  /// `draft` gets what must hold for that memory not to be stored to; `is_first`: text that holds
  /// for the first work-item alone.
  TeamLeader(const KernelView& kernel, Draft& draft, std::string is_first = condition("=="));

  /// `threadIdx.x == 0`, or with `!=`, of teams that are workgroups.
  static std::string condition(const std::string& comparison) {
    return "threadIdx.x " + comparison + " 0";
  }
  /// Whether all can do it alike: it stores nothing, and nothing that it reads is stored to.
  bool all_do(const clang::Stmt& statement);
  /// False where the statement cannot be shared out so.
  bool add(const clang::Stmt& statement, TextEdits& edits);

 private:
  bool add_stores(const std::vector<const clang::Stmt*>& statements, TextEdits& edits) const;
  bool reads_the_same(const clang::Stmt& statement);

  const KernelView& kernel_;
  Draft& draft_;
  std::string is_first_;
  std::optional<std::set<const clang::ParmVarDecl*>> stored_;
};

}  // namespace geak::clang_tool::transforms

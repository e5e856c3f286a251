#pragma once

#include <optional>
#include <string>

#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {

/// Rewrites statements of the kernel's own block so that work-items which return early stay for
/// later barriers: a flag says who still works, and whoever does not reads and stores nothing.
/// Returns that a whole workgroup takes stay as they are. Statements come in their order.
class KeptThreads {
 public:
  /// `flag`: name of the bool variable, declared by `declaration()` before the first statement.
  KeptThreads(const KernelView& kernel, std::string flag)
      : kernel_(kernel), flag_(std::move(flag)) {}

  std::string declaration() const { return "bool " + flag_ + " = true;\n"; }
  /// False where the statement cannot be rewritten: a return in a loop, a macro, a declaration
  /// whose value cannot be left out.
  bool add(const clang::Stmt& statement, TextEdits& edits);
  /// Work-items may have stopped working before the next statement.
  bool some_may_rest() const { return some_may_rest_; }
  void mark() { some_may_rest_ = true; }
  const std::string& flag() const { return flag_; }

 private:
  bool add_return(const clang::IfStmt& branch, TextEdits& edits);
  bool add_declaration(const clang::DeclStmt& statement, TextEdits& edits) const;
  bool touches_memory(const clang::Stmt& statement) const;

  const KernelView& kernel_;
  std::string flag_;
  bool some_may_rest_ = false;
};

}  // namespace geak::clang_tool::transforms

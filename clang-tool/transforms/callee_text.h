#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "clang-tool/transforms/transform.h"

namespace clang {
class CallExpr;
class NamedDecl;
class ParmVarDecl;
class ReturnStmt;
class SubstNonTypeTemplateParmExpr;
class VarDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// A called function's text, fit to stand in the kernel in place of a call. Its locals and
/// parameters get names of their own; what it names outside of itself is named in full; template
/// parameters become what they are in this call. Every word of the text must be one that the AST
/// accounts for, so that macros, and whatever else might mean another thing there, are refused.
class CalleeText {
 public:
  /// `prefix` begins the names of its locals, `result` is the variable that gets what it returns.
  CalleeText(const KernelView& kernel, const clang::CallExpr& call, std::string prefix,
             std::string result);

  /// Declarations of the parameters and the body; nothing where it cannot be written: `reason()`.
  std::optional<std::string> write();
  const std::string& reason() const { return reason_; }

 private:
  bool take_arguments(std::string& declarations);
  std::optional<std::string> argument_text(unsigned position) const;
  const clang::VarDecl* as_own_variable(unsigned position) const;
  bool rename();
  bool rename_variable(const clang::VarDecl& variable);
  std::optional<std::string> function_argument(
      const clang::SubstNonTypeTemplateParmExpr& argument) const;
  bool name_in_full(const clang::NamedDecl& named, clang::SourceRange qualifier,
                    clang::SourceLocation name);
  bool write_types();
  bool write_returns(std::string& before, std::string& after);
  bool write_return(const clang::ReturnStmt& statement, const std::string& leave);
  bool is_all_known();
  bool fail(const std::string& reason);
  bool know(clang::SourceLocation location);
  std::string own_name(const std::string& name) const { return prefix_ + name; }

  const KernelView& kernel_;
  const clang::CallExpr& call_;
  const clang::FunctionDecl& callee_;
  std::string prefix_, result_, reason_;
  SourceText source_;
  TextEdits edits_;
  std::set<unsigned> known_;  ///< offsets of words that the AST accounts for
  /// Parameters that point or refer to a variable of the caller: its name.
  std::map<const clang::ParmVarDecl*, std::string> variables_;
};

}  // namespace geak::clang_tool::transforms

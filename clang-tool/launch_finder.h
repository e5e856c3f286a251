#pragma once

#include <string>
#include <vector>

#include <clang/Basic/SourceLocation.h>

#include "clang-tool/extract.h"

namespace clang {
class Expr;
class FunctionDecl;
class Stmt;
}  // namespace clang

namespace geak::clang_tool {

/// A launch in a translation unit's AST: what `extract_launches` prints and rewriting edits.
struct LaunchNode {
  LaunchForm form = LaunchForm::chevrons;
  std::string api;                                ///< macro or function; empty for chevrons
  const clang::Expr* expression = nullptr;        ///< the launch
  const clang::Expr* callee = nullptr;            ///< the expression that names the kernel
  const clang::FunctionDecl* kernel = nullptr;    ///< null: known at run time alone, or a pattern
  const clang::FunctionDecl* function = nullptr;  ///< encloses the launch; null outside functions
  std::vector<const clang::Expr*> grid, block;    ///< one expression (dim3), or three (modules)
  const clang::Expr* dynamic_lds = nullptr;       ///< null: left out
  const clang::Expr* stream = nullptr;            ///< null: left out
  std::vector<const clang::Expr*> arguments;      ///< of the kernel, where the launch lists them
  /// Text that is the whole launch, where one stretch of a file spells it: from the kernel (or the
  /// macro's or function's name) to the closing parenthesis. Invalid within a macro's body.
  clang::CharSourceRange spelled;
  std::string macro;  ///< outermost macro of the project's own that the launch stands in
  /// The launch comes out of that macro's body, so that editing it would edit all uses.
  bool in_macro_body = false;
};

/// All launches outside system headers, in the order of the traversal; those within templates stand
/// once as the pattern and once for each instantiation.
std::vector<LaunchNode> find_launches(const TranslationUnit& unit);

}  // namespace geak::clang_tool

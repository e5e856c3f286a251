#pragma once

namespace clang {
class CallExpr;
class Expr;
class Stmt;
class VarDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// The local or `__shared__` variable that an lvalue lies in (`bins` of `bins[i].x`), or null where
/// it is reached through a pointer.
const clang::VarDecl* root_variable(const clang::Expr& lvalue);

/// What an assignment of a class copies to, where that is no more than its bytes: elements that are
/// halves and the like. Null for any other call.
const clang::Expr* plain_assignment_target(const clang::CallExpr& call);

/// Whether anything in `root` may store to memory other than local variables and LDS: assignments
/// through pointers, and calls that might.
bool may_store_to_global_memory(const clang::Stmt& root);

}  // namespace geak::clang_tool::transforms

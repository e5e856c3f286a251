#pragma once

namespace clang {
class Expr;
class Stmt;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// Whether a floating-point value that ends in a product, a quotient or a call is added to
/// something in `root`, a function's body, directly or by way of locals: a compiler may round the
/// two in one step, so that a value which is worked out elsewhere would make another sum.
bool meets_a_sum(const clang::Expr& value, const clang::Stmt& root);

}  // namespace geak::clang_tool::transforms

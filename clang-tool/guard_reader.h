#pragma once

#include <optional>
#include <string>

#include "support/guard_expression.h"

namespace clang {
class ASTContext;
class Expr;
}  // namespace clang

namespace geak::clang_tool {

/// A guard as the compiler understands it, or why nobody but the host can evaluate it.
struct GuardReading {
  std::optional<support::GuardExpression> expression;
  std::string problem;  ///< one line, without a full stop
};

/// Reads a condition that stands in a function whose first parameters are `geak_grid`,
/// `geak_block`, `geak_lds` and the like, followed by the kernel's own (wrapper_signature). Types,
/// conversions and constants are those that clang found; `apart` and `readable` of the swap prelude
/// are known.
GuardReading read_guard(const clang::Expr& condition, const clang::ASTContext& context);

}  // namespace geak::clang_tool

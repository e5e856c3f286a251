#pragma once

#include <optional>
#include <vector>

#include "clang-tool/transforms/transform.h"

namespace clang {
class Expr;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// What values that come out a little different would decide in the kernel: a comparison, an index,
/// an integer. They are followed through variables, and through memory by the variable that names
/// it. Nothing where they only end up in results.
std::optional<Refusal> decided_by(const KernelView& kernel,
                                  const std::vector<const clang::Expr*>& values);

}  // namespace geak::clang_tool::transforms

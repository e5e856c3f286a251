#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace clang {
class Expr;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// A value that is the same for all work-items of a launch: parameters that the kernel does not
/// change, sizes of workgroup and grid, constants and sums and products of them.
struct LaunchConstant {
  std::string text;                ///< in the kernel, valid from its begin on
  std::string host;                ///< empty where a size is in it, which later steps may change
  std::vector<std::int64_t> seen;  ///< in each launch seen; empty where one does not tell
};

/// Nothing for anything else, and for what may not be worked out where nothing asks for it: a
/// quotient, whose divisor may be zero in a launch that never divides.
std::optional<LaunchConstant> launch_constant(const KernelView& kernel,
                                              const clang::Expr& expression);

}  // namespace geak::clang_tool::transforms

#pragma once

#include <optional>
#include <string>

#include "clang-tool/transforms/transform.h"

namespace geak::clang_tool::transforms {

bool returns_early(const KernelView& kernel);

/// The kernel's body where every work-item meets every barrier: those that return early stay and do
/// nothing else. Nothing where a barrier stands where not all of them get, or a return in a loop.
std::optional<std::string> body_that_all_stay_in(const KernelView& kernel);

}  // namespace geak::clang_tool::transforms

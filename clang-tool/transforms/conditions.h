#pragma once

#include <cstdint>

#include "clang-tool/transforms/transform.h"

namespace geak::clang_tool::transforms {

/// The original's workgroup must be exactly of this size.
void require_block(const support::Extent& block, Draft& draft);
void require_block_axis(unsigned axis, std::uint32_t size, Draft& draft);
/// The kernel's integer argument at `position` must have this value.
void require_argument(unsigned position, std::int64_t value, Draft& draft);

}  // namespace geak::clang_tool::transforms

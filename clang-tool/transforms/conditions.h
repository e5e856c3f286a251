#pragma once

#include <cstdint>

#include "clang-tool/transforms/transform.h"

namespace geak::clang_tool::transforms {

/// The original's workgroup must be exactly of this size.
void require_block(const support::Extent& block, Draft& draft);
void require_block_axis(unsigned axis, std::uint32_t size, Draft& draft);
/// The kernel's integer argument at `position` must have this value.
void require_argument(unsigned position, std::int64_t value, Draft& draft);
/// For a step that adds LDS to a kernel that may have dynamic LDS beside it: no launch may ask for
/// more of that than those seen did, which are known to fit. With more the variant might not start
/// where the original does.
void require_lds_as_seen(const KernelView& kernel, Draft& draft);

}  // namespace geak::clang_tool::transforms

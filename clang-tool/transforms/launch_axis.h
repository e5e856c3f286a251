#pragma once

#include <cstdint>

#include "clang-tool/transforms/transform.h"

namespace geak::clang_tool::transforms {

/// Each work-item along the axis takes `factor` items: a `factor`th of the workgroups, which must
/// divide evenly (`covers` false), or as many as are needed (true: extra items must do nothing).
std::optional<Refusal> divide_grid(unsigned axis, std::uint32_t factor, bool covers, Draft& draft);

/// Workgroups of `size` along the axis, as many as cover all items.
std::optional<Refusal> set_block(unsigned axis, std::uint32_t size, Draft& draft);

/// Workgroups of `size` along the axis, as many as there are.
std::optional<Refusal> set_block_alone(unsigned axis, std::uint32_t size, Draft& draft);

/// Refuses where no launch seen can still run the draft: for a condition that none of them meets,
/// or else because none has a shape that can be changed so, which is what `shapes` says.
std::optional<Refusal> no_launch_runs(const KernelView& kernel, const Draft& draft,
                                      const char* shapes);

}  // namespace geak::clang_tool::transforms

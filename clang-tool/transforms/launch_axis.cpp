#include "clang-tool/transforms/launch_axis.h"

namespace geak::clang_tool::transforms {
using support::BlockRule;
using support::GridRule;

std::optional<Refusal> divide_grid(unsigned axis, std::uint32_t factor, bool covers, Draft& draft) {
  support::AxisChange& change = draft.launch.axes[axis];
  if (change.grid == GridRule::cover) {
    if (!covers) return Refusal{"an earlier step rounds the grid up along this axis"};
    change.grid_value *= factor;
  } else if (change.grid == GridRule::keep && change.block == BlockRule::keep) {
    change.grid = covers ? GridRule::cover : GridRule::divide;
    change.grid_value = factor;
  } else if (change.grid == GridRule::divide && !covers) {
    change.grid_value *= factor;
  } else {
    return Refusal{"an earlier step changes the grid along this axis in another way"};
  }
  return std::nullopt;
}

std::optional<Refusal> set_block(unsigned axis, std::uint32_t size, Draft& draft) {
  support::AxisChange& change = draft.launch.axes[axis];
  if (change.grid != GridRule::keep && change.grid != GridRule::cover)
    return Refusal{"an earlier step changes the grid along this axis in another way"};
  if (change.grid == GridRule::keep) change.grid_value = 1;
  change.block = BlockRule::set;
  change.block_value = size;
  change.grid = GridRule::cover;
  return std::nullopt;
}

std::optional<Refusal> set_block_alone(unsigned axis, std::uint32_t size, Draft& draft) {
  support::AxisChange& change = draft.launch.axes[axis];
  if (change.grid == GridRule::cover)
    return Refusal{"an earlier step changes the grid along with the workgroup"};
  change.block = BlockRule::set;
  change.block_value = size;
  return std::nullopt;
}

std::optional<Refusal> no_launch_runs(const KernelView& kernel, const Draft& draft,
                                      const char* shapes) {
  if (kernel.seen.empty()) return std::nullopt;
  support::LaunchChange conditions;
  conditions.conditions = draft.launch.conditions;
  std::string unmet;
  bool met = false;
  for (const SeenLaunch& seen : kernel.seen) {
    const auto value = [&](std::uint32_t position) {
      return position < seen.arguments.size() ? seen.arguments[position] : std::nullopt;
    };
    if (draft.launch.apply(seen.launch, value)) return std::nullopt;
    met = conditions.apply(seen.launch, value, &unmet).has_value() || met;
  }
  return met ? Refusal{shapes} : Refusal{"no launch seen may run it: " + unmet};
}

}  // namespace geak::clang_tool::transforms

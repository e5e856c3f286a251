#include "support/launch_change.h"

#include <limits>

namespace geak::support {
namespace {

/// The most work-items that HIP lets a workgroup have (AMD and NVIDIA alike).
constexpr std::uint64_t max_threads = 1024;

std::uint64_t threads(const Extent& block) { return std::uint64_t{block[0]} * block[1] * block[2]; }

/// 0 stands for "impossible": no extent of a launch is ever 0.
std::uint64_t new_block(const AxisChange& change, std::uint64_t block) {
  switch (change.block) {
    case BlockRule::keep:
      return block;
    case BlockRule::set:
      return change.block_value;
    case BlockRule::multiply:
      return block * change.block_value;
    case BlockRule::divide:
      return change.block_value != 0 && block % change.block_value == 0 ? block / change.block_value
                                                                        : 0;
  }
  return 0;
}

std::uint64_t new_grid(const AxisChange& change, std::uint64_t grid, std::uint64_t block,
                       std::uint64_t changed_block) {
  switch (change.grid) {
    case GridRule::keep:
      return grid;
    case GridRule::set:
      return change.grid_value;
    case GridRule::multiply:
      return grid * change.grid_value;
    case GridRule::divide:
      return change.grid_value != 0 && grid % change.grid_value == 0 ? grid / change.grid_value : 0;
    case GridRule::cover: {
      const std::uint64_t each = changed_block * change.grid_value;
      return each == 0 ? 0 : (grid * block + each - 1) / each;
    }
  }
  return 0;
}

bool holds_for(std::int64_t left, const Condition& condition) {
  using Kind = Condition::Kind;
  switch (condition.kind) {
    case Kind::block_equals:
    case Kind::grid_equals:
    case Kind::argument_equals:
      return left == condition.value;
    case Kind::block_multiple:
    case Kind::items_multiple:
    case Kind::argument_multiple:
    case Kind::argument_aligned:
      return condition.value > 0 && left % condition.value == 0;
    case Kind::argument_at_least:
      return left >= condition.value;
    case Kind::argument_at_most:
      return left <= condition.value;
    case Kind::arguments_distinct:
      return left != condition.value;
  }
  return false;
}

bool holds(Condition condition, const Launch& launch, const ArgumentValues& arguments) {
  using Kind = Condition::Kind;
  const bool of_launch =
      condition.kind == Kind::block_equals || condition.kind == Kind::block_multiple ||
      condition.kind == Kind::grid_equals || condition.kind == Kind::items_multiple;
  if (of_launch) {
    if (condition.index > 2) return false;
    const std::int64_t block = launch.block[condition.index];
    const std::int64_t grid = launch.grid[condition.index];
    if (condition.kind == Kind::items_multiple) return holds_for(grid * block, condition);
    return holds_for(condition.kind == Kind::grid_equals ? grid : block, condition);
  }
  const auto left = arguments ? arguments(condition.index) : std::nullopt;
  if (!left) return false;
  if (condition.kind == Kind::arguments_distinct) {
    const auto right = arguments(static_cast<std::uint32_t>(condition.value));
    if (!right) return false;
    condition.value = *right;
  }
  return holds_for(*left, condition);
}

/// What a condition asks, for people.
std::string in_words(const Condition& condition) {
  using Kind = Condition::Kind;
  const std::string axis(1, "xyz"[condition.index % 3]),
      value = std::to_string(condition.value),
      argument = "argument " + std::to_string(condition.index);
  switch (condition.kind) {
    case Kind::block_equals:
      return "the workgroup's size along " + axis + " is not " + value;
    case Kind::block_multiple:
      return "the workgroup's size along " + axis + " is no multiple of " + value;
    case Kind::grid_equals:
      return "the grid's size along " + axis + " is not " + value;
    case Kind::items_multiple:
      return "the number of work-items along " + axis + " is no multiple of " + value;
    case Kind::argument_equals:
      return argument + " is not " + value;
    case Kind::argument_multiple:
      return argument + " is no multiple of " + value;
    case Kind::argument_at_least:
      return argument + " is less than " + value;
    case Kind::argument_at_most:
      return argument + " is more than " + value;
    case Kind::argument_aligned:
      return argument + " is not aligned to " + value + " bytes";
    case Kind::arguments_distinct:
      return "arguments " + std::to_string(condition.index) + " and " + value +
             " are one address (or both null)";
  }
  return "";
}

}  // namespace

bool LaunchChange::keeps_launch() const {
  return axes == std::array<AxisChange, 3>{} && lds == LdsChange{} && !passes;
}

std::optional<Launch> LaunchChange::apply(const Launch& original, const ArgumentValues& arguments,
                                          std::string* problem) const {
  const auto refuse = [&](std::string why) {
    if (problem != nullptr) *problem = std::move(why);
    return std::nullopt;
  };
  for (std::size_t i = 0; i < conditions.size(); ++i)
    if (!holds(conditions[i], original, arguments))
      return refuse("its condition does not hold: " + in_words(conditions[i]));

  if (keeps_launch()) return original;
  Launch launch;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t block = new_block(axes[axis], original.block[axis]);
    const std::uint64_t grid =
        new_grid(axes[axis], original.grid[axis], original.block[axis], block);
    const std::string name(1, static_cast<char>('x' + axis));
    if (block == 0 || block > max_threads)
      return refuse("the workgroup's size along " + name + " cannot be changed so");
    if (grid == 0 || grid > std::numeric_limits<std::uint32_t>::max())
      return refuse("the grid's size along " + name + " cannot be changed so");
    launch.block[axis] = static_cast<std::uint32_t>(block);
    launch.grid[axis] = static_cast<std::uint32_t>(grid);
  }
  if (threads(launch.block) > max_threads)
    return refuse("the workgroup would have more than 1024 work-items");

  std::uint64_t bytes = original.dynamic_lds;
  if (lds.scale_with_block) {
    if (bytes * threads(launch.block) % threads(original.block) != 0)
      return refuse("dynamic LDS does not scale evenly with the workgroup");
    bytes = bytes * threads(launch.block) / threads(original.block);
  }
  bytes += lds.bytes_added + std::uint64_t{lds.bytes_per_thread} * threads(launch.block);
  if (bytes > std::numeric_limits<std::uint32_t>::max()) return refuse("dynamic LDS overflows");
  launch.dynamic_lds = static_cast<std::uint32_t>(bytes);
  return launch;
}

}  // namespace geak::support

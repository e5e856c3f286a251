#include "replay/replayer/launch_plan.h"

#include <algorithm>
#include <cstring>

namespace geak::replay {

std::optional<std::int64_t> LaunchPlan::argument(const LaunchRecord& record,
                                                 std::uint32_t position) const {
  std::uint32_t index = 0;
  for (const auto& entry : original_.arguments) {
    if (entry.hidden() || index++ != position) continue;
    if (entry.bytes > 8) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, record.kernarg.data() + entry.offset, entry.bytes);
    // Narrow integers: as signed, which agrees with unsigned below half their range.
    if (entry.bytes == 4) return static_cast<std::int32_t>(value);
    return static_cast<std::int64_t>(value);
  }
  return std::nullopt;
}

// What the host would be told about the launch when it asks.
bool LaunchPlan::guard_holds(const LaunchRecord& record, std::string* why) const {
  if (!change_.guard) return true;
  support::GuardFacts facts;
  facts.argument = [&](std::uint32_t position, std::uint32_t offset,
                       std::uint32_t bytes) -> std::optional<std::uint64_t> {
    const auto at = kernarg_offset(position);
    if (!at || *at + offset + bytes > record.kernarg.size()) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, record.kernarg.data() + *at + offset, bytes);
    return value;
  };
  facts.allocation = [&](std::uint32_t position,
                         std::uint32_t offset) -> std::optional<support::GuardFacts::Allocation> {
    const auto at = kernarg_offset(position);
    if (!at) return std::nullopt;
    for (const auto& pointer : record.pointers) {
      if (pointer.offset != *at + offset) continue;
      const auto& region = record.regions[pointer.region];
      return support::GuardFacts::Allocation{region.base, region.bytes};
    }
    return support::GuardFacts::Allocation{};
  };
  const auto held = support::holds(*change_.guard, launch_of(record), facts);
  if (!held) throw support::GuardFault("the guard asks for what no launch says");
  if (!*held && why) *why = "its guard does not hold";
  return *held;
}

std::optional<std::uint32_t> LaunchPlan::kernarg_offset(std::uint32_t position) const {
  std::uint32_t index = 0;
  for (const auto& entry : original_.arguments)
    if (!entry.hidden() && index++ == position) return entry.offset;
  return std::nullopt;
}

std::optional<PlannedLaunch> LaunchPlan::of(const LaunchRecord& record, std::string* why) const {
  const auto launch = change_.apply(
      launch_of(record), [&](std::uint32_t position) { return argument(record, position); }, why);
  if (!launch || !guard_holds(record, why)) return std::nullopt;
  PlannedLaunch planned{*launch, has_partial_groups(record) && change_.keeps_launch(), Passes{},
                        Passes{}};
  if (change_.passes && !add_passes(record, planned)) {
    if (why) *why = "fewer than two passes can be put together";
    return std::nullopt;
  }
  return planned;
}

std::vector<std::int64_t> LaunchPlan::compared_with() const {
  auto numbers =
      change_.guard ? support::constants_in(*change_.guard) : std::vector<std::int64_t>();
  for (const auto& condition : change_.conditions) numbers.push_back(condition.value);
  return numbers;
}

// The least and the greatest value that the program passed. Not every launch is recorded, so what
// lies between counts; what its loop never came to may lie beyond the buffers.
std::pair<std::int64_t, std::int64_t> LaunchPlan::passed(const LaunchRecord& record,
                                                         std::uint32_t position) const {
  const auto own = argument(record, position).value_or(0);
  std::pair range{own, own};
  for (const LaunchRecord& other : recorded_) {
    if (other.kernel != record.kernel) continue;
    const auto value = argument(other, position).value_or(0);
    range = {std::min(range.first, value), std::max(range.second, value)};
  }
  return range;
}

// A candidate that stands for several launches is held against as many of the original, the first
// of them the recorded one.
bool LaunchPlan::add_passes(const LaunchRecord& record, PlannedLaunch& planned) const {
  const support::PassRule& rule = *change_.passes;
  Passes& original = planned.original_passes;
  std::vector<std::int64_t> values;
  for (const auto& entry : original_.arguments) {
    if (entry.hidden()) continue;
    const auto position = static_cast<std::uint32_t>(values.size());
    values.push_back(argument(record, position).value_or(0));
    if (position != rule.argument) continue;
    original.offset = entry.offset;
    original.bytes = std::min<std::uint32_t>(entry.bytes, 8);
  }
  if (rule.argument >= values.size() || has_partial_groups(record)) return false;
  const std::uint32_t most = rule.passes(planned.launch, values);
  std::int64_t value = values[rule.argument];
  const auto [least, greatest] = passed(record, rule.argument);
  while (original.values.size() < most && value >= least && value <= greatest) {
    original.values.push_back(value);
    value = rule.after(value);
  }
  const auto count = static_cast<std::uint32_t>(original.values.size());
  if (count < 2) return false;
  planned.passes = {
      original.offset, original.bytes, {support::PassRule::packed(original.values.front(), count)}};
  return true;
}

}  // namespace geak::replay

// The part of a contest that leaves the recorded launch: other sizes, alignment, arguments.
#include "replay/judge/variations.h"
#include "replay/replayer/contest.h"
#include "replay/replayer/phase.h"

namespace geak::replay {
namespace {

constexpr const char* kSizesAlone = "16, 29: right on the recorded sizes alone";
constexpr const char* kArgumentsAlone = "16: right on the recorded arguments alone";
constexpr const char* kConstantsAlone = "16: right on memory that holds one value";
constexpr const char* kRangeAlone = "16: right within the recorded range alone";
constexpr const char* kAlignmentAlone = "16: right on the recorded alignment alone";

}  // namespace

// What faults or writes out of bounds with the original is no input for the candidate either, and
// where the candidate's conditions do not hold, the original will run.
std::optional<Verdict> Contest::try_launch(const OtherLaunch& made, std::uint64_t seed,
                                           const std::string& attack) {
  const auto planned = challenger_.planned(made.record);
  if (!planned) return std::nullopt;
  const auto input = baseline_.varied(made, seed);
  announce_phase("original with " + made.what);
  const auto expected = baseline_.outcome_of(made.record, input);
  if (!expected) {
    ++launches_refused_;
    return std::nullopt;
  }
  auto [verdict, faulted] = try_input(made, *planned, input, *expected, seed);
  if (!counts({verdict, faulted}, made.record, input, *expected)) {
    ++launches_refused_;
    return std::nullopt;
  }
  ++inputs_tried_;
  if (!verdict || faulted) return verdict;
  const bool writes_outside = verdict->attack.starts_with("14");
  verdict->attack = attack;
  if (races(baseline_.before())) {
    verdict->attack = kRaces;
  } else if (!writes_outside &&
             challenger_.looks_around(baseline_.before(), baseline_.recorded_outcome())) {
    verdict->attack = kLooksAround;
  }
  return verdict;
}

Contest::Finding Contest::try_input(const OtherLaunch& made, const PlannedLaunch& planned,
                                    const Image& input, const Outcome& expected,
                                    std::uint64_t seed) {
  announce_phase("candidate with " + made.what);
  const std::string where = "with " + made.what;
  try {
    const auto found = challenger_.run_other(made.record, planned, input, seed);
    return {baseline_.check_other(made.record, input, expected, found, where)};
  } catch (const DeviceFault& fault) {
    return {fault_verdict(where, fault), true};
  }
}

std::optional<Verdict> Contest::try_other_launches() {
  const auto sizes = find_sizes(baseline_.record(), baseline_.metadata(), spec_.argument_types);
  if (auto verdict = try_sizes(sizes)) return verdict;
  if (auto verdict = try_values(sizes)) return verdict;
  if (sizes.empty()) {
    notes_.emplace_back(
        "sizes are not varied: no integer argument is as large as the grid or a buffer");
  } else if (launches_refused_ > 0) {
    notes_.emplace_back(
        "the original faults or leaves its buffers on some other sizes or values: not tried");
  }
  return std::nullopt;
}

std::optional<Verdict> Contest::try_sizes(const std::vector<SizeArgument>& sizes) {
  const auto& record = baseline_.record();
  std::uint64_t seed = 100;
  for (const auto& size : sizes) {
    for (const auto value : challenger_.sizes_to_try(size)) {
      const auto made = resized(record, baseline_.before(), size, value);
      if (!made) continue;
      if (auto verdict = try_launch(*made, ++seed, kSizesAlone)) return verdict;
    }
  }
  const auto moved = unaligned(record, baseline_.before(), baseline_.element_widths());
  return try_launch(moved, ++seed, kAlignmentAlone);
}

std::optional<Verdict> Contest::try_values(const std::vector<SizeArgument>& sizes) {
  const auto& record = baseline_.record();
  const Image& before = baseline_.before();
  std::vector<bool> read;
  for (std::size_t i = 0; i < before.size(); ++i) read.push_back(!baseline_.wrote(i));
  std::uint64_t seed = 200;
  for (const auto& [other, what] :
       other_arguments(record, baseline_.metadata(), spec_.argument_types, sizes)) {
    if (auto verdict = try_launch({other, before, what}, ++seed, kArgumentsAlone)) return verdict;
  }
  for (const auto& made : other_constants(record, before, read, baseline_.types())) {
    if (auto verdict = try_launch(made, ++seed, kConstantsAlone)) return verdict;
  }
  if (const auto made = large_values(record, before, read))
    if (auto verdict = try_launch(*made, ++seed, kRangeAlone)) return verdict;
  // An operator that treats NaN otherwise may be as good; the user is told.
  if (const auto made = not_numbers(record, before, read))
    if (const auto verdict = try_launch(*made, ++seed, ""))
      notes_.push_back("it differs from the original " + verdict->reason);
  return std::nullopt;
}

}  // namespace geak::replay

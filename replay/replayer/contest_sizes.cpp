// The part of a contest that leaves the recorded shape: other sizes, other alignment.
#include <algorithm>

#include "replay/judge/mutate.h"
#include "replay/replayer/contest.h"

namespace geak::replay {
namespace {

constexpr const char* kSizesAlone = "16, 29: right on the recorded sizes alone";
constexpr const char* kAlignmentAlone = "16: right on the recorded alignment alone";

std::vector<std::size_t> widths_of(const std::vector<ElementType>& types) {
  std::vector<std::size_t> widths;
  std::ranges::transform(types, std::back_inserter(widths), bytes_of);
  return widths;
}

}  // namespace

// What faults or writes out of bounds with the original is no input for the candidate either, and
// where the candidate's conditions do not hold, the original will run.
std::optional<Verdict> Contest::try_resized(const ResizedLaunch& made, std::uint64_t seed,
                                            const std::string& attack) {
  const auto launch = candidate_launch_of(made.record, nullptr);
  if (!launch) return std::nullopt;
  auto input = made.before;
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (poisonable_[i]) {
      poison(input[i], static_cast<unsigned>(seed));
    } else {
      const auto type = wrote(i) ? types_[i] : guess_element(before_[i]);
      make_fresh(input[i], type, Freshness::permuted, pinned_[i], random);
    }
  }
  Outcome expected;
  try {
    announce_phase("original with " + made.what);
    expected = run_original(made.record, input);
  } catch (const DeviceFault&) {
    ++sizes_refused_;
    return std::nullopt;
  }
  if (!expected.zone_damage.empty()) {
    ++sizes_refused_;
    return std::nullopt;
  }
  announce_phase("candidate with " + made.what);
  ++inputs_tried_;
  ++sizes_tried_;
  const std::string where = "with " + made.what;
  try {
    const auto found = run_candidate(made.record, *launch, input);
    auto verdict = check(input, expected, found, where);
    if (verdict) {
      const bool looks = !verdict->attack.starts_with("14") &&
                         looks_around(before_, {expected_, "", 0, nullptr, ""});
      verdict->attack = looks ? kLooksAround : attack;
    }
    return verdict;
  } catch (const DeviceFault& fault) {
    return fault_verdict(where, fault);
  }
}

std::optional<Verdict> Contest::try_other_sizes() {
  const auto sizes = find_sizes(record_, original_.metadata(), spec_.argument_types);
  std::uint64_t seed = 100;
  for (const auto& size : sizes) {
    for (const auto value : sizes_to_try(record_, size)) {
      const auto made = resized(record_, before_, size, value);
      if (!made) continue;
      if (auto verdict = try_resized(*made, ++seed, kSizesAlone)) return verdict;
    }
  }
  const auto moved = unaligned(record_, before_, widths_of(types_));
  if (auto verdict = try_resized(moved, ++seed, kAlignmentAlone)) return verdict;
  if (sizes.empty()) {
    notes_.emplace_back(
        "sizes are not varied: no integer argument is as large as the grid or a buffer");
  } else if (sizes_refused_ > 0) {
    notes_.emplace_back("the original faults or leaves its buffers on some other sizes: not tried");
  }
  return std::nullopt;
}

}  // namespace geak::replay

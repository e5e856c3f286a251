#include "replay/replayer/challenger.h"

#include "replay/judge/mutate.h"
#include "replay/replayer/schedule_scope.h"

namespace geak::replay {

Challenger::Challenger(Side& side, const LaunchPlan& plan, PlannedLaunch planned,
                       Baseline& baseline, bool exact_memory)
    : side_(side),
      plan_(plan),
      planned_(std::move(planned)),
      baseline_(baseline),
      exact_memory_(exact_memory) {}

Outcome Challenger::run(const Image& input) { return run(baseline_.record(), planned_, input); }

Outcome Challenger::run(const LaunchRecord& record, const PlannedLaunch& planned,
                        const Image& input) {
  return side_.run(record, planned.launch, planned.partial_groups, input,
                   baseline_.candidate_limit(), planned.passes);
}

std::vector<std::int64_t> Challenger::sizes_to_try(const SizeArgument& size) const {
  return sizes_that_run(baseline_.record(), size, plan_.compared_with(),
                        [&](const LaunchRecord& record) { return planned(record).has_value(); });
}

Outcome Challenger::run_other(const LaunchRecord& record, const PlannedLaunch& planned,
                              const Image& input, std::uint64_t seed) {
  const SurroundingsScope zones(side_, !exact_memory_, kTellingZones[seed % kTellingZones.size()]);
  return run(record, planned, input);
}

bool Challenger::races(const Image& input) {
  std::optional<Image> first;
  bool differs = false;
  const SurroundingsScope zones(side_, !exact_memory_, 0);  // the same each time
  for (const char* seed : {"0", "1", "2", "3"}) {
    const ScheduleScope order(seed);
    try {
      auto found = run(input).after;
      differs |= first && found != *first;
      first = std::move(found);
    } catch (const DeviceFault&) {
      break;  // a fault is named by itself
    }
  }
  return differs;
}

bool Challenger::looks_around(const Image& input, const Outcome& expected) {
  // One order for all, or a race would be taken for a look.
  const ScheduleScope order("0");
  unsigned right = 0, wrong = 0;
  for (unsigned style = 0; style < kZoneStyles; ++style) {
    const SurroundingsScope zones(side_, !exact_memory_, style);
    try {
      baseline_.check(input, expected, run(input), "") ? ++wrong : ++right;
    } catch (const DeviceFault&) {
      ++wrong;
    }
  }
  return right > 0 && wrong > 0;
}

bool does_later_work(const Baseline& baseline, const Outcome& found) {
  const auto& record = baseline.record();
  for (const auto& launch : baseline.archive().launches()) {
    if (launch.kernel != record.kernel || launch.regions.size() != record.regions.size()) continue;
    for (std::size_t i = 0; i < record.regions.size(); ++i) {
      const auto& region = launch.regions[i];
      if (!baseline.wrote(i) || region.base != record.regions[i].base ||
          region.after.bytes != baseline.before()[i].size() ||
          region.after == record.regions[i].after) {
        continue;
      }
      if (baseline.archive().bytes_of(region.after) == found.after[i]) return true;
    }
  }
  return false;
}

// It does where elements that it left alone in `found` are written over poison, and all is right
// over the answer.
bool relies_on_old_output(Challenger& challenger, Baseline& baseline, const Image& input,
                          const Outcome& found) {
  const auto& expected = baseline.expected();
  auto answered = baseline.before(), poisonous = answered;
  for (std::size_t i = 0; i < answered.size(); ++i) {
    if (!baseline.poisonable(i)) continue;
    answered[i] = expected[i];
    poison(poisonous[i], 0);
  }
  if (answered == baseline.before()) return false;
  try {
    const auto on_answer = challenger.run(answered), on_poison = challenger.run(poisonous);
    if (baseline.check(answered, baseline.recorded_outcome(), on_answer, "")) return false;
    for (std::size_t i = 0; i < answered.size(); ++i) {
      if (!baseline.poisonable(i)) continue;
      for (std::size_t at = 0; at < answered[i].size(); ++at) {
        if (found.after[i][at] == input[i][at] && on_poison.after[i][at] != poisonous[i][at] &&
            found.after[i][at] != expected[i][at])
          return true;
      }
    }
  } catch (const DeviceFault&) {
    // Nothing is known then.
  }
  return false;
}

}  // namespace geak::replay

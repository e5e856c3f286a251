#include "replay/replayer/glance.h"

#include "replay/replayer/phase.h"

namespace geak::replay {

Glance glance(Baseline& baseline, Side& candidate, const PlannedLaunch& planned, unsigned rounds,
              bool compares) {
  Glance glance;
  const Image& input = baseline.before();
  const bool emulated = baseline.counters().is_object();
  const bool fused = !planned.original_passes.values.empty();
  const auto original = [&] {
    announce_phase("original on the recorded input");
    auto outcome = baseline.run(baseline.record(), input, planned.original_passes);
    glance.original.add(outcome.ns);
    return outcome;
  };
  auto expected = baseline.recorded_outcome();
  if (fused) expected = original();
  if (emulated && !fused) glance.original = baseline.times();
  for (unsigned round = 0; round < (emulated ? 1 : rounds) && !glance.verdict; ++round) {
    if (!emulated) original();
    announce_phase("candidate on the recorded input");
    const auto found = candidate.run(baseline.record(), planned.launch, planned.partial_groups,
                                     input, baseline.candidate_limit(), planned.passes);
    glance.candidate.add(found.ns);
    if (compares) glance.verdict = baseline.check(input, expected, found, "on the recorded input");
  }
  return glance;
}

}  // namespace geak::replay

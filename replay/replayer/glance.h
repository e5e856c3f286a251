// A first look at a candidate: cheap, and no verdict in its favour.
#pragma once

#include "replay/replayer/baseline.h"

namespace geak::replay {

struct Glance {
  std::optional<Verdict> verdict;  // none: nothing speaks against it so far
  Times original, candidate;
  double noise() const { return std::max(original.spread(), candidate.spread()); }
};

// The candidate on the recorded input, `rounds` times by turns with the original, once where the
// device is emulated: a modelled time repeats itself, and the original's is known from
// establish(). Where the candidate stands for several launches, so does the original. `compares`:
// whether what it leaves is looked at. Throws DeviceFault.
Glance glance(Baseline& baseline, Side& candidate, const PlannedLaunch& planned, unsigned rounds,
              bool compares = true);

}  // namespace geak::replay

// Timing on memory that stays on the device: between two launches nothing crosses the bus.
#pragma once

#include <vector>

#include "replay/replayer/baseline.h"

namespace geak::worker {

// How much a race may cost.
struct RaceEffort {
  double seconds = 0.1;
  unsigned least = 5, most = 15;
};

// A kernel and how it is launched on the record.
struct Contender {
  replay::Side* side = nullptr;
  support::Launch launch;
  bool partial_groups = false;
  replay::Passes passes;
};

class Resident {
 public:
  // Puts what the launch of the record found on the device, twice: to work on and to restore from.
  Resident(replay::Device& device, replay::Side& original, const replay::Baseline& baseline);

  struct Times {
    std::vector<double> original, candidate;  // ns, one a round
  };
  // Interleaves both, as many rounds as `seconds` allow, between `least` and `most`, and fewer with
  // a loser; the candidate may be the original itself. Throws replay::DeviceFault.
  Times race(const Contender& original, const Contender& candidate, const RaceEffort& effort);
  // Launches it once more and reads what it left.
  replay::Outcome again(const Contender& contender);

  std::uint64_t bytes() const { return bytes_; }

 private:
  // Where the contender has the regions: its own variables for globals.
  replay::Bases bases_for(const Contender& contender) const;
  void restore(const Contender& contender, bool all);
  double run(const Contender& contender);

  replay::Device& device_;
  const replay::LaunchRecord& record_;
  replay::Arena arena_;
  std::vector<replay::Device::Memory> pristine_;
  std::vector<bool> written_;
  std::uint64_t bytes_ = 0;
};

// The middle half's width over the median: what a repetition may be off by.
double relative_spread(std::vector<double> values);

}  // namespace geak::worker

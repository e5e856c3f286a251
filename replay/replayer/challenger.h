// The candidate on one recorded launch.
#pragma once

#include "replay/replayer/baseline.h"

namespace geak::replay {

class Challenger {
 public:
  // `planned`: what `plan` makes of the baseline's record.
  Challenger(Side& side, const LaunchPlan& plan, PlannedLaunch planned, Baseline& baseline,
             bool exact_memory);

  // On the recorded launch with other contents of memory. Throws DeviceFault.
  Outcome run(const Image& input);
  // On a launch of another size; none where the candidate's conditions do not hold there.
  std::optional<PlannedLaunch> planned(const LaunchRecord& record) const {
    return plan_.of(record);
  }
  // Sizes of the recorded launch worth trying, of those at which it runs.
  std::vector<std::int64_t> sizes_to_try(const SizeArgument& size) const;
  // Between zones that the original was tried between, by `seed`: what it reads beyond its buffers
  // made no difference to it there, and elsewhere might.
  Outcome run_other(const LaunchRecord& record, const PlannedLaunch& planned, const Image& input,
                    std::uint64_t seed);

  // Whether what it leaves depends on the order of its waves and workgroups.
  bool races(const Image& input);
  // Whether it is right between some zones and wrong between others.
  bool looks_around(const Image& input, const Outcome& expected);

 private:
  Outcome run(const LaunchRecord& record, const PlannedLaunch& planned, const Image& input);

  Side& side_;
  const LaunchPlan& plan_;
  PlannedLaunch planned_;
  Baseline& baseline_;
  bool exact_memory_;
};

// What is known of why a candidate failed, better than by what differs.

// Whether it leaves what another recorded launch leaves in the same memory.
bool does_later_work(const Baseline& baseline, const Outcome& found);
// Whether what it writes depends on what its output held before: on the recorded input.
bool relies_on_old_output(Challenger& challenger, Baseline& baseline, const Image& input,
                          const Outcome& found);

}  // namespace geak::replay

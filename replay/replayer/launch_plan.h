// How a candidate is launched where the original was.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/replayer/side.h"
#include "support/launch_change.h"

namespace geak::replay {

// One launch of the candidate, and what it stands for.
struct PlannedLaunch {
  support::Launch launch;
  bool partial_groups = false;
  // Where it stands for several launches of the original: their values of the argument that
  // changes, and its own. Else both have none.
  Passes original_passes, passes;
};

class LaunchPlan {
 public:
  // `recorded`: all launches of the record.
  LaunchPlan(const KernelMetadata& original, const support::LaunchChange& change,
             const std::vector<LaunchRecord>& recorded)
      : original_(original), change_(change), recorded_(recorded) {}

  // None, and why, where the candidate's conditions or its guard do not hold: the build runs the
  // original there. Throws support::GuardFault where the host could not evaluate the guard.
  std::optional<PlannedLaunch> of(const LaunchRecord& record, std::string* why = nullptr) const;

  bool fuses_launches() const { return change_.passes.has_value(); }
  // Numbers that its guard and conditions compare a launch's values with.
  std::vector<std::int64_t> compared_with() const;

 private:
  bool guard_holds(const LaunchRecord& record, std::string* why) const;
  std::optional<std::uint32_t> kernarg_offset(std::uint32_t position) const;
  std::optional<std::int64_t> argument(const LaunchRecord& record, std::uint32_t position) const;
  bool add_passes(const LaunchRecord& record, PlannedLaunch& planned) const;
  std::pair<std::int64_t, std::int64_t> passed(const LaunchRecord& record,
                                               std::uint32_t position) const;

  const KernelMetadata& original_;
  const support::LaunchChange& change_;
  const std::vector<LaunchRecord>& recorded_;
};

}  // namespace geak::replay

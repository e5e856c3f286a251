// A trial on the emulated GPU, with the emulator's checks behind it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "replay/trial.h"

namespace geak::replay {

using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

// Runs the trial once more under memcheck, initcheck, racecheck and synccheck (docs/check.md), on
// one record with its fresh inputs. What they find in the candidate and not in the original rejects
// it; what they find in the original is a note, for the user. `accepted`: the result of run_trial;
// anything but an accepted candidate is returned as it is. Where the checks can't be held, a note
// says so. `environment`: that of the emulator. Throws as run_trial does.
TrialResult check_on_emulator(const TrialSpec& spec, const TrialLimits& limits,
                              const Environment& environment, TrialResult accepted);

}  // namespace geak::replay

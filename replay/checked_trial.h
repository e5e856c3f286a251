// A trial on the emulated GPU, with what only an emulator can show behind it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "replay/trial.h"

namespace geak::replay {

using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

// `accepted`: the result of run_trial; anything but an accepted candidate is returned as it is. The
// largest launch of each shape is run once more
//   - under memcheck, initcheck, racecheck and synccheck (docs/check.md): what they find in the
//     candidate and not in the original rejects it, and so does a candidate that then is wrong,
//     does not end or crashes; what they find in the original is a note, for the user;
//   - with waves and workgroups in another order: a result that depends on it rejects the
//   candidate.
// This takes no longer than limits.time allows for one trial; a note says what was left out for
// that, or could not be held. `environment`: that of the emulator. Throws as run_trial does.
TrialResult check_on_emulator(const TrialSpec& spec, const TrialLimits& limits,
                              const Environment& environment, TrialResult accepted);

}  // namespace geak::replay

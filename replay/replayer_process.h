// geak-replay as a child process: how the optimizer reaches a GPU runtime without one in its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "replay/trial.h"
#include "support/child_process.h"

namespace geak::replay {

// Runs `geak-replay OPTIONS SPEC` under limits, in a folder for temporary files of its own, which
// is gone afterwards. `spec`: the specification's JSON as text. Throws std::system_error when it
// can't be started.
support::ChildResult run_replayer(
    const std::vector<std::string>& options, const std::string& spec, const TrialLimits& limits,
    const std::vector<std::pair<std::string, std::optional<std::string>>>& environment);

}  // namespace geak::replay

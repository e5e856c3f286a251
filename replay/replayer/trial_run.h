// A whole trial: gates, then a contest on each recorded launch.
#pragma once

#include "replay/trial.h"

namespace geak::replay {

// Everything that can go wrong is in the result; throws only std::bad_alloc and the like.
TrialResult hold_trial(const TrialSpec& spec);

}  // namespace geak::replay

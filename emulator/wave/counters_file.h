// GEAK_EMU_COUNTERS: one JSON line a dispatch, appended.
#pragma once

#include "emulator/model/modelled_time.h"
#include "emulator/wave/launch.h"

namespace geak::emulator {

// Does nothing when the variable is not set. Throws std::runtime_error when the file can't be
// written.
void append_counters(Launch& launch, const ModelledTime& time);

}  // namespace geak::emulator

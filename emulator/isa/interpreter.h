// Executes decoded instructions.
#pragma once

#include <cstdint>

#include "emulator/wave/wave.h"

namespace geak::emulator {

// Runs the wave from wave.pc until it blocks, ends, faults or has used up `quantum` instructions
// (checked at taken branches). wave.state says which; wave.pc is where to go on.
void run_wave(Wave& wave, std::int64_t quantum);

}  // namespace geak::emulator

// What a host thread keeps to count the traffic of memory instructions.
#pragma once

#include "emulator/model/counters.h"
#include "emulator/model/line_set.h"

namespace geak::emulator {

struct MemoryMeter {
  MemoryCounters counters;
  LineSet lines64, lines128;
};

}  // namespace geak::emulator

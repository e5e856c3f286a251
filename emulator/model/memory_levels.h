// Bytes that move at each level of the memory hierarchy, by the model of the caches.
#pragma once

#include "emulator/model/counters.h"
#include "emulator/model/device.h"

namespace geak::emulator {

struct MemoryLevels {
  double l1_bytes = 0;      // between the vector ALUs and the L1: 64-byte lines
  double l2_bytes = 0;      // between the L1s and the L2: lines that the L1 lacks, and writes
  double memory_bytes = 0;  // between the L2s and the Infinity Cache or memory
};

MemoryLevels memory_levels(const DeviceDescription& device, const Counters& counters);

}  // namespace geak::emulator

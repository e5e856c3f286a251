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

// Of lines that waves touched again after their shares of the L2 had lost them, those that the L2s
// have lost indeed: none where all that a die touches fits its L2, however the waves share it.
// Where it does not fit, waves that walk through more than their shares lose them all: that an L2
// keeps C / F of F lines was tried, and sparse products on MI300A (F a half more than C) lose all
// of them. `distinct`: lines touched, a mean over the dies.
double lost_lines(const DeviceDescription& device, double lost_by_shares, double distinct);

}  // namespace geak::emulator

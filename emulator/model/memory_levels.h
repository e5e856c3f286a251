// Bytes that move at each level of the memory hierarchy, by the model of the caches.
#pragma once

#include "emulator/model/counters.h"
#include "emulator/model/device.h"
#include "emulator/model/residency.h"

namespace geak::emulator {

struct MemoryLevels {
  double l1_bytes = 0;      // between the vector ALUs and the L1: 64-byte lines
  double l2_bytes = 0;      // between the L1s and the L2: lines that the L1 lacks, and writes
  double memory_bytes = 0;  // between the L2s and the Infinity Cache or memory
};

MemoryLevels memory_levels(const DeviceDescription& device, const Counters& counters);

// Lines of the L2 of a die that are a wave's share.
inline std::uint64_t l2_share_lines(const DeviceDescription& device, const Residency& residency) {
  return (device.l2_bytes >> 7) / residency.waves_per_die;
}

// Of lines that waves touched again after their shares of the L2 had lost them, those that the L2s
// have lost indeed. None where all that a die touches fits its L2, however the waves share it. And
// where workgroups touch the same lines, what is resident is that much less than the sum of what
// each wave touches, and a wave's share that much more: by the mean number of workgroups that touch
// a line, and no more than run at once. Where it does not fit, waves that walk through more than
// their shares lose them all: that an L2 keeps C / F of F lines was tried, and sparse products on
// MI300A (F a half more than C) lose all of them. `distinct`: lines touched, summed over the dies.
double lost_lines(const DeviceDescription& device, const MemoryCounters& counters,
                  const Residency& residency, double distinct);

}  // namespace geak::emulator

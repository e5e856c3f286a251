#include "emulator/model/memory_levels.h"

#include "emulator/model/memory_meter.h"

namespace geak::emulator {

MemoryLevels memory_levels(const DeviceDescription& device, const Counters& counters) {
  constexpr double kRequestBytes = 64;
  const MemoryCounters& m = counters.memory;
  const auto l1_line = static_cast<double>(1u << MemoryMeter::l1_line_shift(device.arch));
  const double written = static_cast<double>(m.write.lines64 + m.atomic.lines64) * kRequestBytes;
  MemoryLevels levels;
  levels.l1_bytes = static_cast<double>(m.read.lines64) * kRequestBytes + written;
  levels.l2_bytes = static_cast<double>(m.l1_misses) * l1_line + written;
  levels.memory_bytes = static_cast<double>(counters.memory_bytes);
  return levels;
}

double lost_lines(const DeviceDescription& device, double lost_by_shares, double distinct) {
  constexpr double kLineBytes = 128;
  return distinct * kLineBytes <= device.l2_bytes ? 0 : lost_by_shares;
}

}  // namespace geak::emulator

#include "emulator/model/memory_levels.h"

#include <algorithm>

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

double lost_lines(const DeviceDescription& device, const MemoryCounters& counters,
                  const Residency& residency, double distinct) {
  constexpr double kLineBytes = 128;
  if (distinct / device.dies * kLineBytes <= device.l2_bytes) return 0;
  const double touched_by = static_cast<double>(counters.l2_first_lines) / std::max(distinct, 1.0);
  const double at_once =
      static_cast<double>(residency.workgroups) / static_cast<double>(device.dies);
  const double share = static_cast<double>(l2_share_lines(device, residency)) *
                       std::clamp(touched_by, 1.0, std::max(at_once, 1.0));
  const double lost = counters.l2_lost.beyond(share);
  return share < WorkgroupCaches::kEntries ? lost + static_cast<double>(counters.l2_lost.forgotten)
                                           : lost;
}

}  // namespace geak::emulator

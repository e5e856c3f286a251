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

namespace {

// After how many fetches of a wave it has fetched `wanted` different lines, of which those since
// its own share was used up may be the same again: of each fetch at a distance w from the last of
// the same line one is new in windows up to w (the working set's growth is the rate of misses at
// its size: Denning 1968). `share`: lines so few that fetches within it are none.
double window_of(const MemoryCounters& counters, double share, double wanted) {
  constexpr double kStep = 1.0 / 16, kMost = 1u << LostLines::kCounts;
  const double lost = static_cast<double>(counters.l2_lost.all());
  const double fetches = static_cast<double>(counters.l2_first_lines) + lost;
  const double farthest = static_cast<double>(counters.l2_first_lines + counters.l2_lost.forgotten);
  double window = share, distinct = share;
  while (distinct < wanted && window < kMost) {
    const double fresh = (farthest + counters.l2_lost.beyond(window)) / fetches;
    const double step = std::min(window * kStep, (wanted - distinct) / std::max(fresh, 1e-9));
    distinct += step * fresh;
    window += step;
  }
  return window;
}

}  // namespace

double lost_lines(const DeviceDescription& device, const MemoryCounters& counters,
                  const Residency& residency, double distinct) {
  constexpr double kLineBytes = 128;
  if (distinct / device.dies * kLineBytes <= device.l2_bytes) return 0;
  const double touched_by = static_cast<double>(counters.l2_first_lines) / std::max(distinct, 1.0);
  const double at_once =
      static_cast<double>(residency.workgroups) / static_cast<double>(device.dies);
  const auto share = static_cast<double>(l2_share_lines(device, residency));
  const double window =
      window_of(counters, share, share * std::clamp(touched_by, 1.0, std::max(at_once, 1.0)));
  const double lost = counters.l2_lost.beyond(window);
  return window < WorkgroupCaches::kEntries ? lost + static_cast<double>(counters.l2_lost.forgotten)
                                            : lost;
}

}  // namespace geak::emulator

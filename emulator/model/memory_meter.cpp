#include "emulator/model/memory_meter.h"

#include "emulator/model/memory_levels.h"
#include "emulator/model/rates.h"

namespace geak::emulator {

void MemoryMeter::begin(const DeviceDescription& device, const Residency& residency) {
  counters = MemoryCounters{};
  footprint.clear();
  half_footprint.clear();
  for (DieLines& die : by_die) die.clear();
  dies_ = device.dies;
  resident_ = residency.workgroups;
  const MemoryRates rates = memory_rates(device);
  const auto cycles = [&](double ns) {
    return static_cast<std::uint32_t>(ns * device.engine_mhz / 1000);
  };
  latency = {cycles(rates.l1_ns), cycles(rates.l2_ns),
             cycles(device.infinity_cache_bytes > 0 ? rates.last_level_ns : rates.memory_ns),
             cycles(rates.scalar_ns), static_cast<std::uint32_t>(rates::kLdsLatencyCycles)};
  const unsigned shift = l1_line_shift(device.arch);
  caches_.set_shares((device.l1_bytes >> shift) / residency.waves_per_cu, shift == 7,
                     l2_share_lines(device, residency));
  begin_workgroup(0, false);
}

}  // namespace geak::emulator

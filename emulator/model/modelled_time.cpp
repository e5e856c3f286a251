#include "emulator/model/modelled_time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "emulator/model/memory_levels.h"
#include "emulator/model/rates.h"
#include "emulator/model/residency.h"

namespace geak::emulator {
namespace {

using Class = InstructionClass;

struct Bound {
  std::string_view name;
  double ns;
};

double executed(const Counters& counters, Class c) {
  return static_cast<double>(counters.executed[static_cast<unsigned>(c)]);
}

// How the grid spreads over the device. Workgroups are whole: the compute unit that gets the most
// of them is the one that ends last.
struct Spread {
  double units;   // compute units that have work
  double simds;   // SIMDs that have work
  double rounds;  // times that the resident workgroups are replaced, the first included
  double uneven;  // workgroups of the busiest compute unit, by the mean

  Spread(const DeviceDescription& device, const Counters& counters, const GridShape& grid) {
    const double workgroups = std::max<double>(static_cast<double>(grid.workgroups), 1);
    const double waves = std::max<double>(static_cast<double>(counters.waves), 1);
    units = std::min<double>(device.compute_units, workgroups);
    simds = std::min<double>(units * device.simds_per_cu, waves);
    uneven = std::ceil(workgroups / units) * units / workgroups;
    const Residency resident =
        residency(device, counters.occupancy, grid.workgroups, grid.waves_per_workgroup);
    rounds = std::ceil(workgroups / static_cast<double>(resident.workgroups));
  }
};

// Cycles that the instructions of all waves keep the issue ports of their SIMDs busy.
double vector_cycles(const Counters& c) {
  return executed(c, Class::valu) * rates::kVectorCycles +
         executed(c, Class::transcendental) * rates::kTranscendentalCycles;
}

// The time of one wave when nothing hides its latencies, times how often workgroups follow one
// another; and no less than that of the wave that takes longest.
double latency_ns(const DeviceDescription& device, const Counters& c, const Spread& spread) {
  const double ns_per_cycle = 1000.0 / device.engine_mhz;
  const double waves = std::max<double>(static_cast<double>(c.waves), 1);
  const double issue =
      (static_cast<double>(c.instructions()) * rates::kIssueCycles +
       executed(c, Class::transcendental) * (rates::kTranscendentalCycles - rates::kIssueCycles) +
       static_cast<double>(c.memory.matrix_cycles)) /
      waves;
  const double stalls =
      static_cast<double>(c.memory.vector_stall_cycles + c.memory.lds_stall_cycles +
                          c.memory.scalar_stall_cycles + c.memory.idle_cycles +
                          c.barrier_stall_cycles) /
      waves;
  return std::max((issue + stalls) * spread.rounds, static_cast<double>(c.longest_wave_cycles)) *
         ns_per_cycle;
}

// Bytes beyond the L2 at the bandwidth of the last-level cache, when it holds what the dispatch
// touches, else of memory.
double memory_ns(const MemoryRates& memory, const Counters& c) {
  const double gb_per_s = static_cast<double>(c.footprint_bytes) <= memory.last_level_bytes
                              ? memory.last_level_gb_per_s
                              : memory.memory_gb_per_s;
  return static_cast<double>(c.memory_bytes) / gb_per_s;
}

}  // namespace

ModelledTime modelled_time(const DeviceDescription& device, const Counters& counters,
                           const GridShape& grid) {
  const MemoryRates memory = memory_rates(device);
  const Spread spread(device, counters, grid);
  const double ns_per_cycle = 1000.0 / device.engine_mhz;
  const MemoryCounters& m = counters.memory;
  const double written = static_cast<double>(m.write.lines64 + m.atomic.lines64);
  const double lines = static_cast<double>(m.read.lines64) + written;
  const std::array bounds{
      Bound{"valu", vector_cycles(counters) / spread.simds * spread.uneven * ns_per_cycle},
      Bound{"mfma",
            static_cast<double>(m.matrix_cycles) / spread.simds * spread.uneven * ns_per_cycle},
      Bound{"salu", (executed(counters, Class::salu) + executed(counters, Class::branch)) *
                        rates::kScalarCycles / spread.units * spread.uneven * ns_per_cycle},
      Bound{"lds", static_cast<double>(m.lds_cycles) / spread.units * spread.uneven * ns_per_cycle},
      Bound{"l1", lines / rates::kLinesPerCycle / spread.units * spread.uneven * ns_per_cycle},
      Bound{"l2", memory_levels(device, counters).l2_bytes / memory.l2_gb_per_s},
      Bound{"memory", memory_ns(memory, counters)},
      Bound{"atomics", static_cast<double>(m.atomic.lanes) / memory.atomics_per_ns},
      Bound{"dispatch", static_cast<double>(grid.workgroups) * rates::kWorkgroupCycles /
                            device.shader_engines * ns_per_cycle},
      Bound{"latency", latency_ns(device, counters, spread)},
  };
  const Bound& largest = *std::max_element(
      bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.ns < b.ns; });
  return {rates::kLaunchNs + largest.ns,
          largest.ns > rates::kLaunchNs ? largest.name : std::string_view("launch")};
}

}  // namespace geak::emulator

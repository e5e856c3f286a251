#include "emulator/model/modelled_time.h"

#include <algorithm>
#include <array>

namespace geak::emulator {
namespace {

using Class = InstructionClass;

// From the dispatch of a packet to the end of an empty kernel, in ns: the smallest kernels of the
// public MI300A timings take 4.2 us.
constexpr double kLaunchNs = 4200;

// Cycles for which one wave instruction keeps its unit busy: a SIMD is 16 lanes wide, so that a
// wave of 64 takes 4 cycles (CDNA 2 and CDNA 3 ISA manuals); transcendental functions run at a
// quarter of that rate.
constexpr double kVectorCycles = 4, kTranscendentalCycles = 16, kScalarCycles = 4;
constexpr double kMatrixCycles = 32;
// Share of the peak bandwidth of HBM that streaming kernels reach.
constexpr double kMemoryEfficiency = 0.8;
// L1 and its address unit handle a line of 64 bytes a cycle (CDNA 2 and CDNA 3 white papers).
constexpr double kLinesPerCycle = 1;

struct Bound {
  std::string_view name;
  double ns;
};

}  // namespace

ModelledTime modelled_time(const DeviceDescription& device, const Counters& counters,
                           const GridShape& grid) {
  const auto executed = [&](Class c) {
    return static_cast<double>(counters.executed[static_cast<unsigned>(c)]);
  };
  const double ns_per_cycle = 1000.0 / device.engine_mhz;
  const double units = static_cast<double>(
      std::min<std::uint64_t>(device.compute_units, std::max<std::uint64_t>(grid.workgroups, 1)));
  const double simds =
      units * std::min<double>(device.simds_per_cu,
                               grid.waves_per_workgroup * std::max(1.0, grid.workgroups / units));
  const double valu = executed(Class::valu) * kVectorCycles +
                      executed(Class::transcendental) * kTranscendentalCycles;
  const double lines =
      static_cast<double>(counters.memory.read.lines64 + counters.memory.write.lines64 +
                          counters.memory.atomic.lines64);
  const double peak_bytes_per_ns = device.memory_mhz * 2e-3 * device.memory_bus_bits / 8;
  const std::array bounds{
      Bound{"valu", valu / simds * ns_per_cycle},
      Bound{"mfma", executed(Class::matrix) * kMatrixCycles / simds * ns_per_cycle},
      Bound{"salu", (executed(Class::salu) + executed(Class::branch)) * kScalarCycles / simds *
                        ns_per_cycle},
      Bound{"lds", static_cast<double>(counters.memory.lds_cycles) / units * ns_per_cycle},
      Bound{"l1", lines / kLinesPerCycle / units * ns_per_cycle},
      Bound{"hbm", lines * 64 / (peak_bytes_per_ns * kMemoryEfficiency)},
  };
  const Bound& largest = *std::max_element(
      bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.ns < b.ns; });
  return {kLaunchNs + largest.ns, largest.ns > kLaunchNs ? largest.name : "launch"};
}

}  // namespace geak::emulator

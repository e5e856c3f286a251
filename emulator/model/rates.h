// The constants of the model of time; docs/model.md says where each comes from.
#pragma once

#include "emulator/model/device.h"

namespace geak::emulator {

namespace rates {
// From a packet to the end of an empty kernel: the smallest kernels of the public MI300A timings of
// the MGPUSim project.
inline constexpr double kLaunchNs = 4200;
// A SIMD is 16 lanes wide, so a wave of 64 takes 4 cycles; transcendental functions run at a
// quarter of that rate (CDNA 2 and CDNA 3 ISA manuals and white papers).
inline constexpr double kVectorCycles = 4, kTranscendentalCycles = 16;
// One scalar instruction a cycle and compute unit; a wave issues one every 4 cycles at best.
inline constexpr double kScalarCycles = 1, kIssueCycles = 4;
// The L1 takes a line of 64 bytes a cycle (CDNA 2 and CDNA 3 white papers).
inline constexpr double kLinesPerCycle = 1;
inline constexpr double kLdsLatencyCycles = 64;
// Between the starts of two workgroups on a shader engine: the Floyd-Warshall kernel of the same
// timings starts 2.1 workgroups of one wave in a ns on 24 of them, whatever its size.
inline constexpr double kWorkgroupCycles = 23;
}  // namespace rates

// Bandwidths that kernels reach and latencies that a wave sees.
struct MemoryRates {
  double l1_line_bytes = 64;
  double l2_gb_per_s = 0;
  double last_level_gb_per_s = 0;
  double last_level_bytes = 0;  // 0: none
  double memory_gb_per_s = 0;
  double atomics_per_ns = 0;
  double l1_ns = 0, l2_ns = 0, last_level_ns = 0, memory_ns = 0, scalar_ns = 0;
};

MemoryRates memory_rates(const DeviceDescription& device);

}  // namespace geak::emulator

#include "emulator/model/rates.h"

namespace geak::emulator {
namespace {

// Shares of the peak that streaming kernels reach. HBM: large vector additions of the public MI300A
// timings move 3.5 TB/s of 5.3 TB/s; published STREAM results of MI250X reach 0.8 of the peak.
constexpr double kMemoryShareGfx942 = 0.61, kMemoryShareGfx90a = 0.8;
// Vector additions within the 256 MiB of the Infinity Cache move 4.2 TB/s on MI300A.
constexpr double kInfinityCacheGbPerS = 4200;
// The L2 gives 128 bytes a cycle and channel, of which each die has 16 on CDNA 3 and 32 on CDNA 2
// (white papers).
constexpr double kL2BytesPerCycleAndChannel = 128;
constexpr double kL2ChannelsGfx942 = 16, kL2ChannelsGfx90a = 32;
// An L2 channel does one atomic operation a cycle.

}  // namespace

MemoryRates memory_rates(const DeviceDescription& device) {
  MemoryRates r;
  const bool gfx942 = device.arch == Arch::gfx942;
  const double peak = device.memory_mhz * 2e-3 * device.memory_bus_bits / 8;
  const double channels = (gfx942 ? kL2ChannelsGfx942 : kL2ChannelsGfx90a) * device.dies;
  const double ghz = device.engine_mhz / 1000.0;
  r.l1_line_bytes = gfx942 ? 128 : 64;
  r.memory_gb_per_s = peak * (gfx942 ? kMemoryShareGfx942 : kMemoryShareGfx90a);
  r.last_level_bytes = static_cast<double>(device.infinity_cache_bytes);
  r.last_level_gb_per_s = gfx942 ? kInfinityCacheGbPerS : r.memory_gb_per_s;
  r.l2_gb_per_s = channels * kL2BytesPerCycleAndChannel * ghz;
  r.atomics_per_ns = channels * ghz;
  // Latencies of waits. Of gfx942 fitted to kernels of the MI300A timings that a wave's own time
  // bounds (nbody, fir: L1; atax: memory), within what published pointer chasing shows.
  r.l1_ns = 45;
  r.l2_ns = gfx942 ? 140 : 150;
  r.last_level_ns = gfx942 ? 340 : 350;
  r.memory_ns = gfx942 ? 430 : 350;
  r.scalar_ns = 45;
  return r;
}

}  // namespace geak::emulator

#include "emulator/model/occupancy.h"

#include <algorithm>

namespace geak::emulator {
namespace {

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

// Register files of a SIMD of gfx90a and gfx942 (LLVM's AMDGPUUsage and AMDGPUBaseInfo): 512 VGPRs
// a lane in granules of 8; 800 SGPRs in granules of 16. LDS is given out in granules of 512 bytes.
constexpr std::uint32_t kVgprs = 512, kVgprGranule = 8;
constexpr std::uint32_t kSgprs = 800, kSgprGranule = 16;
constexpr std::uint32_t kLdsGranule = 512;
// A compute unit tracks 32 workgroups of more than one wave.
constexpr std::uint32_t kWorkgroupsOfManyWaves = 32;

}  // namespace

Occupancy occupancy(const DeviceDescription& device, const KernelResources& kernel) {
  Occupancy result;
  std::uint32_t per_simd = device.max_waves_per_simd;
  const auto limit_waves = [&](std::uint32_t waves, OccupancyLimit why) {
    if (waves >= per_simd) return;
    per_simd = waves;
    result.limit = why;
  };
  limit_waves(kVgprs / std::max(round_up(kernel.vgprs, kVgprGranule), kVgprGranule),
              OccupancyLimit::vgprs);
  limit_waves(kSgprs / std::max(round_up(kernel.sgprs, kSgprGranule), kSgprGranule),
              OccupancyLimit::sgprs);

  const std::uint32_t waves = std::max(kernel.waves_per_workgroup, 1u);
  std::uint32_t groups = per_simd * device.simds_per_cu / waves;
  // The waves that do not fill up a last workgroup are lost.
  if (groups * waves < per_simd * device.simds_per_cu && result.limit == OccupancyLimit::waves)
    result.limit = OccupancyLimit::workgroup;
  const auto limit_groups = [&](std::uint32_t most, OccupancyLimit why) {
    if (most >= groups) return;
    groups = most;
    result.limit = why;
  };
  if (kernel.lds_bytes > 0)
    limit_groups(device.lds_bytes / round_up(kernel.lds_bytes, kLdsGranule), OccupancyLimit::lds);
  if (waves > 1) limit_groups(kWorkgroupsOfManyWaves, OccupancyLimit::workgroup);
  result.workgroups_per_cu = groups;
  result.waves_per_simd = (groups * waves + device.simds_per_cu - 1) / device.simds_per_cu;
  return result;
}

}  // namespace geak::emulator

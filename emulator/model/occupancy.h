// How many waves of a kernel a compute unit holds, and what limits them.
#pragma once

#include <cstdint>

#include "emulator/model/counters.h"
#include "emulator/model/device.h"

namespace geak::emulator {

struct KernelResources {
  std::uint32_t vgprs = 0;      // a lane, accumulation registers included
  std::uint32_t sgprs = 0;      // a wave
  std::uint32_t lds_bytes = 0;  // a workgroup
  std::uint32_t waves_per_workgroup = 1;
};

// waves_per_simd is 0 when a workgroup doesn't fit on a compute unit at all.
Occupancy occupancy(const DeviceDescription& device, const KernelResources& kernel);

}  // namespace geak::emulator

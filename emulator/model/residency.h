// How many waves of a dispatch share a compute unit and a die while it runs.
#pragma once

#include <cstdint>

#include "emulator/model/counters.h"
#include "emulator/model/device.h"

namespace geak::emulator {

struct Residency {
  std::uint64_t waves_per_cu = 1;
  std::uint64_t waves_per_die = 1;
  std::uint64_t workgroups = 1;  // on the device
};

// A grid that does not fill the device is spread evenly.
Residency residency(const DeviceDescription& device, const Occupancy& occupancy,
                    std::uint64_t workgroups, std::uint32_t waves_per_workgroup);

}  // namespace geak::emulator

#include "emulator/model/residency.h"

#include <algorithm>

namespace geak::emulator {

Residency residency(const DeviceDescription& device, const Occupancy& occupancy,
                    std::uint64_t workgroups, std::uint32_t waves_per_workgroup) {
  const auto share = [&](std::uint64_t units) {
    return std::max<std::uint64_t>((workgroups + units - 1) / units, 1);
  };
  const std::uint64_t most = std::max(occupancy.workgroups_per_cu, 1u);
  const std::uint64_t on_cu = std::min(most, share(device.compute_units));
  const std::uint64_t on_die =
      std::min(most * (device.compute_units / device.dies), share(device.dies));
  return {on_cu * waves_per_workgroup, on_die * waves_per_workgroup, on_cu * device.compute_units};
}

}  // namespace geak::emulator

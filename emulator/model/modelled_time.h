// Time of a dispatch on the modelled device; docs/model.md describes the model and its constants.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/model/counters.h"
#include "emulator/model/device.h"

namespace geak::emulator {

struct GridShape {
  std::uint64_t workgroups = 0;
  std::uint32_t waves_per_workgroup = 1;
};

struct ModelledTime {
  double ns = 0;
  std::string_view bound;  // what limits: "launch", "valu", "lds", "hbm", ...
};

ModelledTime modelled_time(const DeviceDescription& device, const Counters& counters,
                           const GridShape& grid);

}  // namespace geak::emulator

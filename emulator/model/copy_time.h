// Modelled time of copies by the copy engines.
#pragma once

#include <cstdint>

#include "emulator/model/device.h"

namespace geak::emulator {

// `to` and `from`: the device that owns the memory, nullptr for the host's; `same` says that both
// are one device. Nanoseconds.
double copy_time_ns(const DeviceDescription* to, const DeviceDescription* from, bool same,
                    std::uint64_t bytes);

}  // namespace geak::emulator

// Reading the program's device memory and devices through HIP's own functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "replay/recorder/memory_map.h"

namespace geak::replay {

struct DeviceName {
  std::string name, architecture;
};

// All of these throw std::runtime_error with HIP's own message where HIP refuses.
DeviceName current_device();
void synchronize();
// Through the device, whether or not the host can reach it.
std::vector<std::byte> read_memory(const Allocation& allocation);
// Of a `__device__` or `__constant__` variable; none (bytes 0) where the code object does not
// export it on this device.
Allocation registered_global(const void* host_variable, const std::string& name);
Allocation module_global(const void* module, const std::string& name);
// Memory that the runtime knows although no hook saw it.
std::optional<Allocation> ask_runtime(std::uint64_t address);

}  // namespace geak::replay

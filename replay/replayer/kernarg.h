// The kernarg segment of a launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/code_object/kernel_metadata.h"

namespace geak::replay {

struct HiddenValues {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // in work-items
  std::array<std::uint32_t, 3> block{1, 1, 1};  // in work-items
  std::uint32_t dynamic_lds = 0;
  bool cooperative = false;
  std::uint64_t queue = 0;  // address of the amd_queue_t
};

// Explicit arguments as given (at the offsets of `kernel`) and hidden ones as the HIP runtime would
// fill them (AMDGPUUsage, "Code Object V5 Metadata" and before). Device printf, malloc, default
// queues and offsets get zero. The result is kernel.kernarg_bytes long.
std::vector<std::byte> build_kernarg(const KernelMetadata& kernel,
                                     const std::vector<std::uint8_t>& explicit_arguments,
                                     const HiddenValues& values);

// Hidden arguments that the kernel may use and that are not provided ("hidden_hostcall_buffer").
std::vector<std::string> unsupported_hidden(const KernelMetadata& kernel);

}  // namespace geak::replay

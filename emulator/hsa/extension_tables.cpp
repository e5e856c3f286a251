#include "emulator/hsa/extension_tables.h"

#include <hsa/hsa_ven_amd_loader.h>

#include <algorithm>
#include <cstring>

#include "emulator/hsa/guard.h"
#include "emulator/hsa/loader_extension.h"

namespace geak::emulator {

bool has_extension(std::uint16_t extension, std::uint16_t major) {
  return extension == HSA_EXTENSION_AMD_LOADER && major == 1;
}

std::uint16_t extension_minor(std::uint16_t extension) {
  return extension == HSA_EXTENSION_AMD_LOADER ? 3 : 0;
}

const char* extension_name(std::uint16_t extension) {
  switch (extension) {
    case HSA_EXTENSION_FINALIZER:
      return "HSA_EXTENSION_FINALIZER";
    case HSA_EXTENSION_IMAGES:
      return "HSA_EXTENSION_IMAGES";
    case HSA_EXTENSION_PERFORMANCE_COUNTERS:
      return "HSA_EXTENSION_PERFORMANCE_COUNTERS";
    case HSA_EXTENSION_PROFILING_EVENTS:
      return "HSA_EXTENSION_PROFILING_EVENTS";
    case HSA_EXTENSION_AMD_PROFILER:
      return "HSA_EXTENSION_AMD_PROFILER";
    case HSA_EXTENSION_AMD_LOADER:
      return "HSA_EXTENSION_AMD_LOADER";
    case HSA_EXTENSION_AMD_AQLPROFILE:
      return "HSA_EXTENSION_AMD_AQLPROFILE";
  }
  return nullptr;
}

hsa_status_t put_extension_table(std::uint16_t extension, std::uint16_t major, std::size_t bytes,
                                 void* table) {
  require(table != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  require(has_extension(extension, major), HSA_STATUS_ERROR);
  const hsa_ven_amd_loader_1_03_pfn_t loader = loader_extension_table();
  std::memcpy(table, &loader, std::min(bytes, sizeof loader));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t put_extension_bits(void* to) {
  require(to != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  auto* bits = static_cast<std::uint8_t*>(to);
  std::memset(bits, 0, 128);
  bits[HSA_EXTENSION_AMD_LOADER / 8] |= 1u << (HSA_EXTENSION_AMD_LOADER % 8);
  return HSA_STATUS_SUCCESS;
}

}  // namespace geak::emulator

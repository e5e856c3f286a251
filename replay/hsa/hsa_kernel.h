// A kernel of a code object on an HSA device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/hsa/hsa_device.h"

namespace geak::replay {

// What HsaDevice::load() gives.
std::unique_ptr<LoadedKernel> load_hsa_kernel(HsaDevice& device, std::vector<std::byte> code,
                                              const std::string& kernel);

}  // namespace geak::replay

// hsa_ven_amd_loader: what debuggers, profilers and recorders ask of loaded code.
#pragma once

#include <hsa/hsa_ven_amd_loader.h>

namespace geak::emulator {

hsa_ven_amd_loader_1_03_pfn_t loader_extension_table();

}  // namespace geak::emulator

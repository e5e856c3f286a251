// hsa_amd_register_system_event_handler: who wants to know of memory faults.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "emulator/hsa/agent.h"

namespace geak::emulator {

inline constexpr hsa_status_t extended(int status) { return static_cast<hsa_status_t>(status); }

// False when nobody registered, or the handler failed.
bool announce_memory_fault(const Agent& agent);

}  // namespace geak::emulator

// Waiting for signals as the host does.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>

namespace geak::emulator {

// hsa_signal_wait_*: returns the last value that was seen, satisfying or not. `timeout` in units of
// the HSA timestamp (ns). The host has then seen the modelled time of the signal.
hsa_signal_value_t wait_for(hsa_signal_t signal, hsa_signal_condition_t condition,
                            hsa_signal_value_t compare, std::uint64_t timeout,
                            hsa_wait_state_t state);

// The index of the first signal that satisfies its condition, or `count` on a timeout.
std::uint32_t wait_for_any(std::uint32_t count, const hsa_signal_t* signals,
                           const hsa_signal_condition_t* conditions,
                           const hsa_signal_value_t* values, std::uint64_t timeout,
                           hsa_signal_value_t* satisfying);

}  // namespace geak::emulator

// Limits of the devices that HSA reports and dispatches are checked against.
#pragma once

#include <cstdint>

namespace geak::emulator {

inline constexpr std::uint32_t kWavefrontSize = 64;
inline constexpr std::uint32_t kMaxWorkgroup = 1024;  // work-items
inline constexpr std::uint32_t kMaxGrid = 0xffffffff;
inline constexpr std::uint32_t kMaxQueues = 128;
inline constexpr std::uint32_t kMinQueuePackets = 64;
inline constexpr std::uint32_t kMaxQueuePackets = 131072;

}  // namespace geak::emulator

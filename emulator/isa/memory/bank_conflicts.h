// How long the LDS is busy with an instruction.
#pragma once

#include <cstdint>

namespace geak::emulator {

// Cycles, and of these those that lanes wait for one another.
struct LdsCycles {
  std::uint32_t busy = 0, conflicts = 0;
};

// The LDS serves 32 banks of a dword a cycle, so 32 dwords at best: 32 lanes of a dword, 16 of two,
// 8 of four (CDNA 3 ISA manual, "LDS"). Lanes that read the same dword share it; different dwords
// of one bank take a cycle each. `bytes` a lane at `offsets`, of the lanes of `mask`.
LdsCycles lds_cycles(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes);

}  // namespace geak::emulator

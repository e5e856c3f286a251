// How long the LDS is busy with an instruction.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/isa/instruction.h"
#include "emulator/wave/wave.h"

namespace geak::emulator {

// Cycles, and of these those that lanes wait for one another.
struct LdsCycles {
  std::uint32_t busy = 0, conflicts = 0;
};

// The LDS serves 32 banks of a dword a cycle, so 32 dwords at best: 32 lanes of a dword, 16 of two,
// 8 of four (CDNA 3 ISA manual, "LDS"). Lanes that read the same dword share it; different dwords
// of one bank take a cycle each. `bytes` a lane at `offsets`, of the lanes of `mask`.
LdsCycles lds_cycles(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes);

// The same with a memory: an instruction comes again with all its lanes a number of dwords further
// on, which moves all of them to other banks and none to another's.
class BankConflicts {
 public:
  LdsCycles cycles(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes);

 private:
  static constexpr std::uint32_t kPatterns = 16;

  struct Pattern {
    alignas(64) Lanes offsets;
    std::uint32_t bytes = 0;  // 0: free
    LdsCycles cycles;
  };

  std::array<Pattern, kPatterns> patterns_;
};

}  // namespace geak::emulator

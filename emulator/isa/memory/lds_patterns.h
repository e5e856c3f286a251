// How the offsets of the lanes of LDS instructions lie, remembered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/isa/memory/bank_conflicts.h"
#include "emulator/isa/memory/lane_runs.h"
#include "emulator/wave/wave.h"

namespace geak::emulator {

// Offsets of all 64 lanes, and what stays true of them wherever lane 0 is.
struct LdsPattern {
  alignas(64) Lanes offsets;
  std::uint32_t bytes = 0;  // a lane; 0: nothing is known
  LdsCycles cycles;
  std::int32_t lowest = 0, highest = 0;  // of the lanes, counted from lane 0
  std::int32_t run_step = kNoRuns;
};

// Most instructions come again with all their lanes a number of dwords further on, which moves all
// of them to other banks and none to another's.
class LdsPatterns {
 public:
  // For lanes at offsets[lane] + constant.
  const LdsPattern& find(const Lanes& offsets, std::uint32_t constant, unsigned bytes);

 private:
  static constexpr std::uint32_t kPatternBits = 4;

  std::array<LdsPattern, 1u << kPatternBits> patterns_;
};

// out[lane] = base + (offsets[lane] + constant), the sum in 32 bits.
void lds_pointers(const Lanes& offsets, std::uint32_t constant, std::byte* base, std::byte** out);

}  // namespace geak::emulator

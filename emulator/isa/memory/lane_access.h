// From the addresses of a vector memory instruction to host pointers, one a lane.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulator/isa/instruction.h"
#include "emulator/isa/memory/lane_runs.h"
#include "emulator/model/memory_meter.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {

enum class Direction : std::uint8_t { read, write, atomic };

// Lanes to access and where. Those outside `mask` hold no pointer.
struct LaneAccess {
  alignas(64) std::byte* at[kLanes];
  std::uint64_t mask = 0;
  std::uint32_t stride = 4;  // from one dword of a lane to its next: 256 in scratch
  // Not 0: all 64 lanes, and lane l begins l times this behind lane 0.
  std::uint32_t lane_step = 0;
  // Not kNoRuns: all 64 lanes, and those of a run begin this behind one another.
  std::int32_t run_step = kNoRuns;
  bool one_thread = false;  // no other thread touches that memory: LDS
  // Set by who needs only at[0] when there is a lane_step, and of each run only its first lane's
  // when there is a run_step.
  bool takes_steps = false;
};

struct LaneAddresses {
  alignas(64) std::uint64_t of[kLanes];
};

inline constexpr std::uint64_t kAllLanes = ~std::uint64_t{0};

// Calls body(lane) for each lane of the mask.
template <typename Body>
inline void for_lanes(std::uint64_t mask, Body&& body) {
  if (mask == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) body(lane);
  } else {
    for (; mask; mask &= mask - 1) body(static_cast<unsigned>(std::countr_zero(mask)));
  }
}

// Checks the addresses of the lanes of `mask` against what was given to the GPU and counts the
// traffic. False: the wave has faulted.
bool resolve_global(Wave& wave, const Instruction* instruction, const LaneAddresses& addresses,
                    std::uint64_t mask, unsigned bytes, Direction direction, LaneAccess& access);

// LDS at offsets[lane] + constant, in bytes. Beyond the workgroup's LDS reads give 0 and writes are
// dropped, as on hardware. Counts the cycles of the LDS.
void resolve_lds(Wave& wave, const Lanes& offsets, std::uint32_t constant, std::uint64_t mask,
                 unsigned bytes, Direction direction, LaneAccess& access);

// The lane's own scratch at byte offsets into its private segment, which starts at
// `wave_base` (interleaved by dword over the lanes). False: the wave has faulted.
bool resolve_scratch(Wave& wave, const Instruction* instruction, std::uint64_t wave_base,
                     const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes,
                     Direction direction, LaneAccess& access);

}  // namespace geak::emulator

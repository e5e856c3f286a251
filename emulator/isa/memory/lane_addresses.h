// Addresses of the 64 lanes of an instruction, by the host's widest vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/isa/instruction.h"
#include "emulator/isa/memory/lane_runs.h"

namespace geak::emulator {

// out[lane] = base + low[lane] (+ high[lane] << 32, when `high` is given).
void add_lane_addresses(const std::uint32_t* low, const std::uint32_t* high, std::uint64_t base,
                        std::uint64_t* out);

// How the addresses of the lanes of a mask lie.
struct AddressShape {
  std::uint64_t differences = 0;    // bits in which some lane differs from the first one
  bool regular = false;             // all 64 lanes, each `bytes` behind the one before
  std::int32_t run_step = kNoRuns;  // all 64 lanes, and those of a run this behind one another
};
AddressShape shape_of(const std::uint64_t* addresses, std::uint64_t mask, std::uint32_t bytes);

// A bit for each lane; 0: its element of `bytes` lies on the lines of 64 bytes that the one of the
// lane before lies on.
std::uint64_t line_changes(const std::uint64_t* addresses, std::uint32_t bytes);

// Where the devices' addresses are on the host.
void to_host_pointers(const std::uint64_t* addresses, std::byte** out);

}  // namespace geak::emulator

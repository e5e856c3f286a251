#include "emulator/isa/memory/lane_access.h"
#include "emulator/isa/memory/lds_patterns.h"

namespace geak::emulator {
namespace {

// Reads beyond the LDS see zeros; writes go where nothing reads.
alignas(64) constinit const std::byte zeros[64] = {};
alignas(64) thread_local std::byte discarded[64];

// Lanes one by one: some of them are beyond the LDS, or inactive. Returns the cycles of the LDS.
LdsCycles place_lanes(const Wave& wave, const Lanes& row, std::uint32_t constant, unsigned bytes,
                      Direction direction, LaneAccess& access) {
  Lanes offsets;
  for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = row[lane] + constant;
  for_lanes(access.mask, [&](unsigned lane) {
    const std::uint32_t offset = offsets[lane];
    if (offset < wave.lds_bytes && wave.lds_bytes - offset >= bytes) [[likely]]
      access.at[lane] = wave.lds + offset;
    else
      access.at[lane] = direction == Direction::read ? const_cast<std::byte*>(zeros) : discarded;
  });
  return lds_cycles(offsets, access.mask, bytes);
}

bool lies_inside(const LdsPattern& pattern, std::uint32_t first, unsigned bytes,
                 std::uint32_t lds_bytes) {
  return std::int64_t{first} + pattern.lowest >= 0 &&
         std::int64_t{first} + pattern.highest + bytes <= std::int64_t{lds_bytes};
}

// All lanes, within the LDS.
void place_pattern(const Wave& wave, const Lanes& offsets, std::uint32_t constant,
                   const LdsPattern& pattern, LaneAccess& access) {
  access.run_step = pattern.run_step;
  if (pattern.run_step == kNoRuns || !access.takes_steps)
    return lds_pointers(offsets, constant, wave.lds, access.at);
  for (unsigned lane = 0; lane < kLanes; lane += kRunLanes)
    access.at[lane] = wave.lds + std::uint32_t{offsets[lane] + constant};
}

}  // namespace

void resolve_lds(Wave& wave, const Lanes& offsets, std::uint32_t constant, std::uint64_t mask,
                 unsigned bytes, Direction direction, LaneAccess& access) {
  access.mask = mask;
  access.stride = 4;
  access.lane_step = 0;
  access.run_step = kNoRuns;
  access.one_thread = true;
  if (mask == 0) return;
  LdsCycles cycles;
  const LdsPattern* pattern =
      mask == kAllLanes ? &wave.workgroup->lds_patterns.find(offsets, constant, bytes) : nullptr;
  if (pattern && lies_inside(*pattern, offsets[0] + constant, bytes, wave.lds_bytes)) [[likely]] {
    place_pattern(wave, offsets, constant, *pattern, access);
    cycles = pattern->cycles;
  } else {
    cycles = place_lanes(wave, offsets, constant, bytes, direction, access);
  }
  MemoryCounters& counters = wave.workgroup->memory->counters;
  ++counters.lds_instructions;
  counters.lds_bytes += static_cast<unsigned>(std::popcount(mask)) * bytes;
  counters.lds_cycles += cycles.busy;
  counters.lds_conflict_cycles += cycles.conflicts;
  WaveSlot& slot = slot_of(wave);
  ++slot.outstanding_lds;
  slot.clock.issue_lds(cycles_of(slot), wave.workgroup->memory->latency.lds + cycles.busy);
}

}  // namespace geak::emulator

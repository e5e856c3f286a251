#include "emulator/isa/memory/bank_conflicts.h"
#include "emulator/isa/memory/lane_access.h"

namespace geak::emulator {
namespace {

// Reads beyond the LDS see zeros; writes go where nothing reads.
alignas(64) constinit const std::byte zeros[64] = {};
alignas(64) thread_local std::byte discarded[64];

// How the offsets of all lanes lie.
struct OffsetShape {
  bool regular = false;  // each lane begins `bytes` behind the one before
  bool inside = false;   // all below `limit`
};

OffsetShape shape_of(const std::uint32_t* offsets, unsigned bytes, std::uint32_t limit) {
  std::uint32_t irregular = 0, outside = 0, expected = offsets[0];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    irregular |= offsets[lane] ^ expected;
    outside |= std::uint32_t{offsets[lane] >= limit};
    expected += bytes;
  }
  return {irregular == 0, outside == 0};
}

void place_lanes(const Wave& wave, const std::uint32_t* offsets, unsigned bytes,
                 Direction direction, LaneAccess& access) {
  for_lanes(access.mask, [&](unsigned lane) {
    const std::uint32_t offset = offsets[lane];
    if (offset < wave.lds_bytes && wave.lds_bytes - offset >= bytes) [[likely]]
      access.at[lane] = wave.lds + offset;
    else
      access.at[lane] = direction == Direction::read ? const_cast<std::byte*>(zeros) : discarded;
  });
}

}  // namespace

void resolve_lds(Wave& wave, const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes,
                 Direction direction, LaneAccess& access) {
  access.mask = mask;
  access.stride = 4;
  access.lane_step = 0;
  access.one_thread = true;
  if (mask == 0) return;
  MemoryCounters& counters = wave.workgroup->memory->counters;
  ++counters.lds_instructions;
  counters.lds_bytes += static_cast<unsigned>(std::popcount(mask)) * bytes;
  WaveSlot& slot = slot_of(wave);
  ++slot.outstanding_lds;
  const LdsCycles cycles = wave.workgroup->bank_conflicts.cycles(offsets, mask, bytes);
  counters.lds_cycles += cycles.busy;
  counters.lds_conflict_cycles += cycles.conflicts;
  slot.clock.issue_lds(cycles_of(slot), wave.workgroup->memory->latency.lds + cycles.busy);
  const OffsetShape shape = mask == kAllLanes && wave.lds_bytes >= bytes
                                ? shape_of(offsets, bytes, wave.lds_bytes - bytes + 1)
                                : OffsetShape{};
  if (!shape.inside) return place_lanes(wave, offsets, bytes, direction, access);
  if (shape.regular) access.lane_step = bytes;
  if (shape.regular && access.takes_step) {
    access.at[0] = wave.lds + offsets[0];
    return;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) access.at[lane] = wave.lds + offsets[lane];
}

}  // namespace geak::emulator

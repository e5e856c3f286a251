#include <algorithm>
#include <array>

#include "emulator/isa/memory/lane_access.h"

namespace geak::emulator {
namespace {

constexpr unsigned kBanks = 32;

// Reads beyond the LDS see zeros; writes go where nothing reads.
alignas(64) constinit const std::byte zeros[64] = {};
alignas(64) thread_local std::byte discarded[64];

// The LDS serves 32 banks of a dword a cycle, so 32 dwords at best: 32 lanes of a dword, 16 of two,
// 8 of four (CDNA 3 ISA manual, "LDS"). Lanes that read the same dword share it; different dwords
// of one bank take a cycle each.
std::uint32_t group_cycles(const std::uint32_t* offsets, std::uint64_t mask, unsigned first,
                           unsigned lanes, unsigned dwords) {
  std::array<std::uint32_t, 64> wanted;
  std::array<std::uint8_t, kBanks> load{};
  unsigned count = 0;
  std::uint32_t busiest = 0;
  for (unsigned lane = first; lane < first + lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    for (unsigned d = 0; d < dwords; ++d) {
      const std::uint32_t dword = offsets[lane] / 4 + d;
      bool shared = false;
      for (unsigned n = 0; n < count; ++n) shared |= wanted[n] == dword;
      if (shared) continue;
      wanted[count++] = dword;
      busiest = std::max<std::uint32_t>(busiest, ++load[dword % kBanks]);
    }
  }
  return busiest;
}

bool conflict_free(const std::uint32_t* offsets, unsigned lanes, unsigned dwords) {
  std::uint32_t banks = 0, twice = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned d = 0; d < dwords; ++d) {
      const std::uint32_t bank = 1u << ((offsets[lane] / 4 + d) % kBanks);
      twice |= banks & bank;
      banks |= bank;
    }
  }
  return twice == 0;
}

void count_cycles(MemoryCounters& counters, const std::uint32_t* offsets, std::uint64_t mask,
                  unsigned bytes) {
  const unsigned dwords = bytes <= 4 ? 1 : bytes / 4;
  const unsigned lanes = dwords == 1 ? 32 : dwords == 2 ? 16 : 8;
  for (unsigned first = 0; first < kLanes; first += lanes) {
    const std::uint64_t members = mask >> first & ((std::uint64_t{1} << lanes) - 1);
    if (members == 0) continue;
    ++counters.lds_cycles;
    if (members == (std::uint64_t{1} << lanes) - 1 && conflict_free(offsets + first, lanes, dwords))
      continue;
    const std::uint32_t cycles = group_cycles(offsets, mask, first, lanes, dwords);
    counters.lds_cycles += cycles - 1;
    counters.lds_conflict_cycles += cycles - 1;
  }
}

}  // namespace

void resolve_lds(Wave& wave, const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes,
                 Direction direction, LaneAccess& access) {
  access.mask = mask;
  access.stride = 4;
  access.lane_step = 0;
  if (mask == 0) return;
  MemoryCounters& counters = wave.workgroup->memory->counters;
  ++counters.lds_instructions;
  counters.lds_bytes += static_cast<unsigned>(std::popcount(mask)) * bytes;
  WaveSlot& slot = slot_of(wave);
  ++slot.outstanding_lds;
  const std::uint64_t busy_before = counters.lds_cycles;
  count_cycles(counters, offsets, mask, bytes);
  slot.clock.issue_lds(cycles_of(slot),
                       wave.workgroup->memory->latency.lds +
                           static_cast<std::uint32_t>(counters.lds_cycles - busy_before));
  std::uint32_t irregular = mask == kAllLanes ? 0 : 1;
  for_lanes(mask, [&](unsigned lane) {
    const std::uint32_t offset = offsets[lane];
    irregular |= (offset - offsets[0]) ^ (lane * bytes);
    if (offset < wave.lds_bytes && wave.lds_bytes - offset >= bytes) [[likely]] {
      access.at[lane] = wave.lds + offset;
    } else {
      irregular = 1;
      access.at[lane] = direction == Direction::read ? const_cast<std::byte*>(zeros) : discarded;
    }
  });
  if (irregular == 0) access.lane_step = bytes;
}

}  // namespace geak::emulator

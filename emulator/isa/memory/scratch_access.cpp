#include <fmt/format.h>

#include <algorithm>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/memory/addresses.h"

namespace geak::emulator {
bool resolve_scratch(Wave& wave, const Instruction* instruction, std::uint64_t wave_base,
                     const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes,
                     Direction direction, LaneAccess& access) {
  access.mask = mask;
  access.stride = 4 * kLanes;
  access.lane_step = 0;
  access.run_step = kNoRuns;
  if (mask == 0) return true;
  const WaveSlot& slot = slot_of(wave);
  const auto begin = reinterpret_cast<std::uint64_t>(slot.scratch);
  std::uint32_t irregular = mask == kAllLanes ? 0 : 1;
  const unsigned dwords = (bytes + 3) / 4;
  for (std::uint64_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint32_t offset = offsets[lane];
    irregular |= offset ^ offsets[0];
    const std::uint64_t address = wave_base + interleaved(offset, lane);
    const std::uint64_t last = address + std::uint64_t{dwords - 1} * access.stride;
    // Narrow elements must stay in their dword, wide ones begin with one.
    const bool aligned = offset % 4 + std::min(bytes, 4u) <= 4;
    if (!aligned || address < begin || last + 4 > begin + slot.scratch_bytes + offset % 4) {
      fault(wave, instruction, FaultKind::memory,
            fmt::format(
                "memory fault: lane {} {} {} bytes at offset {:#x} of scratch, {}: {}", lane,
                direction == Direction::read ? "reads" : "writes", bytes, offset,
                aligned ? fmt::format("but a lane has {} bytes of it", slot.scratch_bytes / kLanes)
                        : "which is not aligned",
                describe(wave, *instruction)));
      return false;
    }
    access.at[lane] = reinterpret_cast<std::byte*>(address);
  }
  if (irregular == 0 && offsets[0] % 4 == 0) access.lane_step = 4;
  MemoryCounters& counters = wave.workgroup->memory->counters;
  TrafficCounters& traffic = direction == Direction::read ? counters.read : counters.write;
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  ++counters.scratch_instructions;
  counters.scratch_bytes += std::uint64_t{lanes} * bytes;
  ++traffic.instructions;
  WaveSlot& own = slot_of(wave);
  ++own.outstanding_vector;
  // A wave's scratch is small and near: the L1.
  own.clock.issue_vector(cycles_of(own), wave.workgroup->memory->latency.l1);
  traffic.lanes += lanes;
  traffic.bytes += std::uint64_t{lanes} * bytes;
  // A dword of 64 lanes is 256 bytes, when all lanes use the same offset.
  traffic.lines64 += dwords * (irregular ? (lanes + 15) / 16 : 4);
  traffic.lines128 += dwords * (irregular ? (lanes + 31) / 32 : 2);
  return true;
}

}  // namespace geak::emulator

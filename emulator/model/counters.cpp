#include "emulator/model/counters.h"

#include <algorithm>
#include <numeric>

namespace geak::emulator {

void TrafficCounters::operator+=(const TrafficCounters& other) {
  instructions += other.instructions;
  lanes += other.lanes;
  bytes += other.bytes;
  lines64 += other.lines64;
  lines128 += other.lines128;
}

void MemoryCounters::operator+=(const MemoryCounters& other) {
  read += other.read;
  write += other.write;
  atomic += other.atomic;
  scratch_instructions += other.scratch_instructions;
  scratch_bytes += other.scratch_bytes;
  scalar_bytes += other.scalar_bytes;
  scalar_lines64 += other.scalar_lines64;
  lds_instructions += other.lds_instructions;
  lds_bytes += other.lds_bytes;
  lds_cycles += other.lds_cycles;
  lds_conflict_cycles += other.lds_conflict_cycles;
  matrix_cycles += other.matrix_cycles;
  vector_waits += other.vector_waits;
  lds_waits += other.lds_waits;
  scalar_waits += other.scalar_waits;
  l1_hits += other.l1_hits;
  l1_misses += other.l1_misses;
  l2_lost_lines += other.l2_lost_lines;
  vector_stall_cycles += other.vector_stall_cycles;
  lds_stall_cycles += other.lds_stall_cycles;
  scalar_stall_cycles += other.scalar_stall_cycles;
  idle_cycles += other.idle_cycles;
}

std::string_view to_string(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::waves:
      return "waves";
    case OccupancyLimit::vgprs:
      return "vgprs";
    case OccupancyLimit::sgprs:
      return "sgprs";
    case OccupancyLimit::lds:
      return "lds";
    case OccupancyLimit::workgroup:
      return "workgroup";
    case OccupancyLimit::grid:
      return "grid";
  }
  return "";
}

std::uint64_t Counters::instructions() const {
  return std::accumulate(executed.begin(), executed.end(), std::uint64_t{0});
}

void Counters::operator+=(const Counters& other) {
  for (unsigned n = 0; n < kInstructionClasses; ++n) {
    executed[n] += other.executed[n];
    active_lanes[n] += other.active_lanes[n];
  }
  memory += other.memory;
  barriers += other.barriers;
  barrier_wait_instructions += other.barrier_wait_instructions;
  barrier_stall_cycles += other.barrier_stall_cycles;
  longest_wave_cycles = std::max(longest_wave_cycles, other.longest_wave_cycles);
  waves += other.waves;
  workgroups += other.workgroups;
}

}  // namespace geak::emulator

// What a dispatch did, counted exactly; docs/schemas.md describes the JSON form.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "emulator/isa/instruction.h"

namespace geak::emulator {

// Vector memory instructions that reach global memory, of one direction. Scratch counts too: its
// backing store is memory.
struct TrafficCounters {
  std::uint64_t instructions = 0;  // with at least one active lane
  std::uint64_t lanes = 0;
  std::uint64_t bytes = 0;     // asked for by the lanes
  std::uint64_t lines64 = 0;   // distinct 64-byte lines touched, summed over instructions
  std::uint64_t lines128 = 0;  // the same of 128-byte lines

  void operator+=(const TrafficCounters& other);
};

// Lines of 128 bytes that waves touched again after their shares of the L2 had lost them, by how
// many lines the wave had fetched since: the n-th count those of which that number has n bits.
struct LostLines {
  static constexpr unsigned kCounts = 24;
  std::array<std::uint64_t, kCounts> after{};
  std::uint64_t forgotten = 0;  // after more than the model of the caches remembers

  void add(std::uint32_t since) {
    ++after[std::min<unsigned>(static_cast<unsigned>(std::bit_width(since)), kCounts - 1)];
  }
  std::uint64_t all() const;
  // Of those that it remembers, the ones that a share of so many lines loses as well.
  double beyond(double share) const;
};

// Counted by the memory instructions; one a host thread, so that counting takes no lock.
struct MemoryCounters {
  TrafficCounters read, write, atomic;
  std::uint64_t scratch_instructions = 0;  // of the above, those of scratch
  std::uint64_t scratch_bytes = 0;
  std::uint64_t scalar_bytes = 0;
  std::uint64_t scalar_lines64 = 0;
  std::uint64_t lds_instructions = 0;
  std::uint64_t lds_bytes = 0;
  std::uint64_t lds_cycles = 0;           // in which the LDS is busy, conflicts included
  std::uint64_t lds_conflict_cycles = 0;  // of these, those that bank conflicts add
  std::uint64_t matrix_cycles = 0;        // of a SIMD's matrix unit
  std::uint64_t vector_waits = 0;         // s_waitcnt that waited for vector memory
  std::uint64_t lds_waits = 0;
  std::uint64_t scalar_waits = 0;
  std::uint64_t l1_hits = 0;  // 64-byte requests, by the model of the L1
  std::uint64_t l1_misses = 0;
  // 128-byte lines that workgroups touched first, each its own, and those lost since.
  std::uint64_t l2_first_lines = 0;
  LostLines l2_lost;
  // Cycles that waves alone on their SIMD would stand at waits, summed (WaveClock).
  std::uint64_t vector_stall_cycles = 0;
  std::uint64_t lds_stall_cycles = 0;
  std::uint64_t scalar_stall_cycles = 0;
  std::uint64_t idle_cycles = 0;  // of s_nop, beyond its first four

  void operator+=(const MemoryCounters& other);
  void scale(double factor);  // as if so many times as much had run
};

// What limits the number of waves on a SIMD.
enum class OccupancyLimit : std::uint8_t { waves, vgprs, sgprs, lds, workgroup, grid };
std::string_view to_string(OccupancyLimit limit);

struct Occupancy {
  std::uint32_t waves_per_simd = 0;  // by registers, LDS and the hardware
  std::uint32_t workgroups_per_cu = 0;
  OccupancyLimit limit = OccupancyLimit::waves;
};

struct Counters {
  std::array<std::uint64_t, kInstructionClasses> executed{};  // wave instructions by class
  std::array<std::uint64_t, kInstructionClasses> active_lanes{};
  MemoryCounters memory;
  std::uint64_t barriers = 0;  // s_barrier, counted once a wave
  // Instructions that waves at a barrier were ahead of the last one to come, summed.
  std::uint64_t barrier_wait_instructions = 0;
  // Cycles that waves alone on their SIMD would stand at barriers, summed, and of the wave that
  // takes longest all of its cycles (WaveClock).
  std::uint64_t barrier_stall_cycles = 0;
  std::uint64_t longest_wave_cycles = 0;
  std::uint64_t waves = 0;
  std::uint64_t workgroups = 0;
  std::uint32_t vgprs = 0;  // allocated a lane, accumulation registers included
  std::uint32_t sgprs = 0;
  std::uint32_t lds_bytes = 0;        // allocated a workgroup
  std::uint32_t scratch_bytes = 0;    // private segment of a lane
  std::uint64_t footprint_bytes = 0;  // distinct 128-byte lines that reached the L2
  std::uint64_t memory_bytes = 0;     // between the L2s and the memory behind, by the model
  std::uint32_t vgpr_spills = 0;      // registers that the compiler spilled, as metadata says
  std::uint32_t sgpr_spills = 0;
  Occupancy occupancy;

  std::uint64_t instructions() const;
  void operator+=(const Counters& other);  // what is summed over workers
  void scale(double factor);               // the same; not the wave that takes longest
};

}  // namespace geak::emulator

// What a host thread keeps to count the traffic of memory instructions, with the model of the
// caches.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "emulator/model/counters.h"
#include "emulator/model/device.h"
#include "emulator/model/distinct_lines.h"
#include "emulator/model/line_set.h"
#include "emulator/model/residency.h"
#include "emulator/model/scalar_cache.h"
#include "emulator/model/workgroup_caches.h"

namespace geak::emulator {

// Latencies of the device in cycles of its clock.
struct LatencyCycles {
  std::uint32_t l1 = 0, l2 = 0, memory = 0, scalar = 0, lds = 0;
};

class MemoryMeter {
 public:
  static constexpr std::uint32_t kMostDies = 8;

  MemoryCounters counters;
  LineSet lines64, lines128;
  DistinctLines footprint;       // 128-byte lines that reached the L2
  DistinctLines half_footprint;  // of them, those of workgroups in half of a sample
  std::array<DieLines, kMostDies> by_die;
  LatencyCycles latency;

  // A new dispatch.
  void begin(const DeviceDescription& device, const Residency& residency);

  // Workgroups spread over the compute units, so each begins with a cold L1; they go to the dies in
  // turn (AMD's CDNA 3 documentation on XCDs).
  void begin_workgroup(std::uint64_t linear_id, bool in_half) {
    in_half_ = in_half;
    caches_.clear();
    followed_.clear();
    followed_lines_ = 0;
    die_ = dies_ > 1 ? &by_die[linear_id % dies_] : nullptr;
    scalar_.clear(linear_id < resident_);
  }

  void pass_barrier() {
    caches_.pass_barrier();
    scalar_.pass_barrier();
  }

  // A memory instruction of a wave of the workgroup; its lines follow.
  void begin_access(unsigned wave) {
    wave_ = wave % WorkgroupCaches::kWaves;
    furthest_ = Level::l1;
  }
  // A line of 128 bytes that a read touches; `halves`: of it, the lines of 64 bytes.
  void read_line128(std::uint64_t line, unsigned halves) {
    const auto read = caches_.read(line, halves, wave_);
    counters.l1_misses += read.missed;
    counters.l1_hits += (halves & 1) + (halves >> 1) - read.missed;
    furthest_ = std::max(furthest_, read.awaited);
    if (read.from != Level::l1) reach_l2(read, line);
  }
  // A line of 128 bytes that a write or atomic operation touches.
  void write_line128(std::uint64_t line) { reach_l2(caches_.write(line, wave_), line); }
  // Until the slowest line of the instruction is there; the L1 takes a line a cycle.
  std::uint32_t access_cycles(std::uint32_t lines) const {
    return lines + (furthest_ == Level::l1   ? latency.l1
                    : furthest_ == Level::l2 ? latency.l2
                                             : latency.memory);
  }

  // A scalar load of a wave of the workgroup, until the slowest of its lines is there.
  std::uint32_t scalar_cycles(unsigned wave, std::uint64_t address, unsigned bytes) {
    bool misses = false;
    for (std::uint64_t line = address >> 6; line <= (address + bytes - 1) >> 6; ++line)
      misses |= scalar_.misses(line, wave % WorkgroupCaches::kWaves);
    return misses ? std::max(latency.l2, latency.scalar) : latency.scalar;
  }

  // A line of the vector L1 is 64 bytes on CDNA 2 and 128 bytes on CDNA 3 (white papers).
  static constexpr unsigned l1_line_shift(Arch arch) { return arch == Arch::gfx90a ? 6 : 7; }

 private:
  using Level = WorkgroupCaches::Level;
  // Of the lines that the caches' model forgot one in eight is followed, to tell one that comes
  // again from a new one.
  static constexpr std::uint64_t kFollowed = 8, kMostFollowed = 2048;

  void reach_l2(const WorkgroupCaches::Read& access, std::uint64_t line) {
    furthest_ = std::max(furthest_, access.from);
    if (access.from == Level::l2) return;
    if (access.from == Level::lost) {
      counters.l2_lost.add(access.since);
      return;
    }
    ++counters.l2_first_lines;
    const std::uint64_t hash = line_hash(line);
    footprint.add_hash(hash);
    if (die_) [[unlikely]]
      die_->add_hash(hash);
    if (in_half_) [[unlikely]]
      half_footprint.add_hash(hash);
    if (caches_.has_forgotten() || followed_lines_ > 0) [[unlikely]]
      look_back(line);
  }
  // A line that seems new may be one that the caches' model forgot.
  [[gnu::noinline]] void look_back(std::uint64_t line) {
    if (followed_lines_ > 0 && is_followed(line) &&
        followed_.contains(WorkgroupCaches::line_key(line, wave_)))
      counters.l2_lost.forgotten += kFollowed;
    const std::uint64_t forgotten = caches_.take_forgotten();
    if (forgotten != WorkgroupCaches::kNone) follow(forgotten);
  }
  static bool is_followed(std::uint64_t line) { return (line_hash(line) >> 1) % kFollowed == 0; }
  // A larger share of the L2 would have kept it.
  void follow(std::uint64_t key) {
    if (caches_.l2_share() >= WorkgroupCaches::kEntries || followed_lines_ >= kMostFollowed) return;
    if (is_followed(key / WorkgroupCaches::kWaves)) followed_lines_ += followed_.insert(key);
  }

  WorkgroupCaches caches_;
  ScalarCache scalar_;
  std::uint64_t resident_ = 1;  // workgroups that run at once
  BasicLineSet<12> followed_;
  std::uint64_t followed_lines_ = 0;
  DieLines* die_ = nullptr;  // of the workgroup; nullptr: the device has one
  std::uint32_t dies_ = 1;
  unsigned wave_ = 0;
  bool in_half_ = false;
  Level furthest_ = Level::l1;
};

}  // namespace geak::emulator

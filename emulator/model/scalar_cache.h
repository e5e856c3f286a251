// A model of the scalar data cache as the waves of one workgroup see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace geak::emulator {

// 16 KiB in lines of 64 bytes, for all waves of a compute unit (CDNA 2 and 3 white papers). What
// scalar loads read is the same for many waves: arguments, tables, data that a loop walks through.
// So the waves that run together share it, and a workgroup that follows another on its compute unit
// finds what that one left, unless it is more than the cache holds. As in WorkgroupCaches, waves
// that come before the next barrier wait as long as the one that fetched the line, and the outcome
// depends on nothing outside the workgroup. A miss is taken to end in the L2.
class ScalarCache {
 public:
  static constexpr std::uint32_t kLines = 256, kWays = 4, kSets = kLines / kWays;

  // A new workgroup; `first`: the first of its compute unit.
  void clear(bool first) {
    begin_ = tick_;
    phase_ = 0;
    left_ = first ? 0 : kLines;
  }
  void pass_barrier() { ++phase_; }

  // A wave (below 16) reads a line: whether it waits for the L2.
  bool misses(std::uint64_t line, unsigned wave) {
    const auto bit = static_cast<std::uint16_t>(1u << wave);
    Entry* const set = &entries_[line % kSets * kWays];
    Entry* oldest = set;
    for (Entry* entry = set; entry != set + kWays; ++entry) {
      if (entry->line == line && entry->order > begin_) {
        entry->order = ++tick_;
        if (entry->fetched_in != phase_ || (entry->arrived_at & bit) != 0) return false;
        entry->arrived_at |= bit;
        return true;
      }
      if (entry->order < oldest->order) oldest = entry;
    }
    const bool found = left_ > 0;
    left_ -= found;
    // What an earlier workgroup left has arrived for all.
    *oldest = {line, ++tick_, phase_, found ? std::uint16_t{0xffff} : bit};
    return !found;
  }

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint64_t order = 0;       // of the last access; that of an earlier workgroup: free
    std::uint32_t fetched_in = 0;  // phase
    std::uint16_t arrived_at = 0;  // waves that waited for it, by bits
  };

  std::array<Entry, kLines> entries_{};
  std::uint64_t tick_ = 0, begin_ = 0;  // accesses so far, and those before this workgroup
  std::uint32_t phase_ = 0;
  std::uint32_t left_ = 0;  // lines that are taken to be there from before
};

}  // namespace geak::emulator

// A model of the caches as the waves of one workgroup see them while others run beside them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace geak::emulator {

// On hardware the waves of all resident workgroups run at once and compete for the caches; here one
// wave after another runs alone. So each wave gets its share of the L1 of a compute unit and of the
// L2 of a die, and a line is still there when the wave fetched fewer others since than its share
// holds. A line that another wave of the workgroup touched counts as there: they run at the same
// time. The outcome depends on nothing outside the workgroup, so it is the same in every run.
class WorkgroupCaches {
 public:
  enum class Level : std::uint8_t {
    l1,
    l2,
    lost,  // the L2 had it, but no more
    seen_first,
  };
  static constexpr std::uint32_t kEntries = 4096;  // lines that are remembered
  static constexpr std::uint32_t kWaves = 16;

  WorkgroupCaches() : entries_(kEntries) {}

  // Shares of a wave in lines of the L1 (64 or 128 bytes) and of 128 bytes in the L2.
  void set_shares(std::uint64_t l1_lines, bool l1_line_is_128, std::uint64_t l2_lines) {
    l1_share_ = l1_lines;
    l2_share_ = l2_lines;
    whole_lines_ = l1_line_is_128;
  }
  std::uint64_t l2_share() const { return l2_share_; }

  // A new workgroup.
  void clear() {
    clocks_.fill({});
    tick_ = 0;
    epoch_ += std::uint64_t{1} << kLineBits;
    if (epoch_ != 0) return;
    entries_.assign(kEntries, {});
    epoch_ = std::uint64_t{1} << kLineBits;
  }

  // A line of 64 bytes.
  Level read(std::uint64_t line64, unsigned wave) {
    const auto half = static_cast<std::uint8_t>(whole_lines_ ? 3 : 1 << (line64 & 1));
    Clocks& now = clocks_[wave];
    Entry& entry = find(line64 >> 1);
    Level level = Level::seen_first;
    if (entry.tag == (line64 >> 1 | epoch_)) {
      const bool own = entry.wave == wave;
      const bool fresh = !own || now.l1 - entry.at.l1 <= l1_share_;
      const bool in_l1 = fresh && (entry.halves & half);
      if (in_l1) {
        entry.at.l1 = now.l1;
        if (!own) entry.at.l2 = now.l2;
        touch(entry, wave);
        return Level::l1;
      }
      level = !own || now.l2 - entry.at.l2 <= l2_share_ ? Level::l2 : Level::lost;
      if (!fresh) entry.halves = 0;
    } else {
      entry.tag = line64 >> 1 | epoch_;
      entry.halves = 0;
    }
    ++now.l1;
    now.l2 += level != Level::l2;
    entry.halves |= half;
    entry.at = now;
    touch(entry, wave);
    return level;
  }

  // A line of 128 bytes: writes go through to the L2.
  Level write(std::uint64_t line, unsigned wave) {
    Clocks& now = clocks_[wave];
    Entry& entry = find(line);
    Level level = Level::seen_first;
    if (entry.tag == (line | epoch_)) {
      level = entry.wave != wave || now.l2 - entry.at.l2 <= l2_share_ ? Level::l2 : Level::lost;
    } else {
      entry = {};
      entry.tag = line | epoch_;
    }
    now.l2 += level != Level::l2;
    if (entry.wave != wave) entry.at.l1 = now.l1;
    entry.at.l2 = now.l2;
    touch(entry, wave);
    return level;
  }

 private:
  static constexpr std::uint32_t kWays = 4;
  // Lines of 128 bytes of 48-bit addresses; the rest of a tag is the epoch.
  static constexpr unsigned kLineBits = 41;

  // Lines that a wave has fetched into its share of each level.
  struct Clocks {
    std::uint32_t l1 = 0, l2 = 0;
  };
  struct Entry {
    std::uint64_t tag = 0;
    Clocks at;  // of the wave that touched it last
    std::uint32_t order = 0;
    std::uint8_t wave = 0;
    std::uint8_t halves = 0;  // in the L1
  };

  void touch(Entry& entry, unsigned wave) {
    entry.wave = static_cast<std::uint8_t>(wave);
    entry.order = ++tick_;
  }

  // The line's entry, or the one of its set that gives way to it.
  Entry& find(std::uint64_t line) {
    const std::uint64_t scattered = (line * 0x9e3779b97f4a7c15u) >> 32;
    Entry* const set = &entries_[(scattered * (kEntries / kWays) >> 32) * kWays];
    const std::uint64_t tag = line | epoch_;
    Entry* oldest = set;
    std::uint64_t least = ~std::uint64_t{0};
    for (unsigned way = 0; way < kWays; ++way) {
      if (set[way].tag == tag) return set[way];
      // Those of former workgroups are free.
      const std::uint64_t order = (set[way].tag >> kLineBits << kLineBits) == epoch_
                                      ? std::uint64_t{set[way].order} + 1
                                      : 0;
      if (order >= least) continue;
      least = order;
      oldest = &set[way];
    }
    return *oldest;
  }

  std::vector<Entry> entries_;
  std::array<Clocks, kWaves> clocks_{};
  std::uint64_t epoch_ = std::uint64_t{1} << kLineBits;
  std::uint64_t l1_share_ = 1, l2_share_ = 1;
  std::uint32_t tick_ = 0;
  bool whole_lines_ = false;
};

}  // namespace geak::emulator

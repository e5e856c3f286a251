// A model of the caches as the waves of one workgroup see them while others run beside them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace geak::emulator {

// On hardware the waves of all resident workgroups run at once and compete for the caches; here one
// wave after another runs alone. So each wave gets its share of the L1 of a compute unit and of the
// L2 of a die, and a line is still there when the wave fetched fewer others since than its share
// holds. A line that another wave of the workgroup touched counts as there: they run at the same
// time. For the same reason a wave that touches it first after the one that fetched it waits as
// long as that one: they come to the access together, and the line is still on its way, unless a
// barrier lies between. The outcome depends on nothing outside the workgroup, so it is the same in
// every run.
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

  WorkgroupCaches() : tags_(kEntries), entries_(kEntries) {}

  // Shares of a wave in lines of the L1 (64 or 128 bytes) and of 128 bytes in the L2.
  void set_shares(std::uint64_t l1_lines, bool l1_line_is_128, std::uint64_t l2_lines) {
    l1_share_ = l1_lines;
    l2_share_ = l2_lines;
    whole_lines_ = l1_line_is_128;
  }
  std::uint64_t l2_share() const { return l2_share_; }

  // What a read of a line found.
  struct Read {
    Level from = Level::l1;     // what had to give it
    Level awaited = Level::l1;  // what the wave waits for
    unsigned missed = 0;        // requests of 64 bytes that the L1 could not serve
    std::uint32_t since = 0;  // from `lost`: lines that the wave fetched since it touched this one
  };

  // A new workgroup.
  void clear() {
    clocks_.fill({});
    tick_ = phase_ = 0;
    forgotten_ = kNone;
    epoch_ += std::uint64_t{1} << kLineBits;
    if (epoch_ != 0) return;
    tags_.assign(kEntries, 0);
    epoch_ = std::uint64_t{1} << kLineBits;
  }

  // All waves of the workgroup are at a barrier: what they asked for has arrived.
  void pass_barrier() { ++phase_; }

  // A line of 128 bytes of which `halves` are read (bit n: the n-th 64 bytes).
  Read read(std::uint64_t line, unsigned halves, unsigned wave) {
    Clocks& now = clocks_[wave];
    bool found = false;
    Entry& entry = find(line, found);
    const bool own = entry.wave == wave;
    if (found && (!own || now.l1 - entry.at.l1 <= l1_share_)) {
      if ((halves & ~unsigned{entry.halves}) == 0) {
        entry.at.l1 = now.l1;
        if (!own) entry.at.l2 = now.l2;
        touch(entry, wave);
        return {Level::l1, awaited_by(entry, wave), 0};
      }
    } else {
      entry.halves = 0;
    }
    Read read;
    read.from = of_l2(entry, now, found, own, read.since);
    read.awaited = read.from;
    const unsigned lacking = halves & ~unsigned{entry.halves};
    read.missed = whole_lines_ ? 1 : (lacking & 1) + (lacking >> 1);
    entry.halves = static_cast<std::uint8_t>(whole_lines_ ? 3 : entry.halves | halves);
    // By halves: the host would wait for two small stores to become one load.
    entry.at.l1 = now.l1 += read.missed;
    entry.at.l2 = now.l2 += read.from != Level::l2;
    entry.fetched_from = read.from;
    entry.fetched_in = phase_;
    entry.arrived_at = static_cast<std::uint16_t>(1u << wave);
    touch(entry, wave);
    return read;
  }

  // A line of 128 bytes: writes go through to the L2.
  Read write(std::uint64_t line, unsigned wave) {
    Clocks& now = clocks_[wave];
    bool found = false;
    Entry& entry = find(line, found);
    Read written;
    written.from = of_l2(entry, now, found, entry.wave == wave, written.since);
    if (!found) entry.halves = 0;
    now.l2 += written.from != Level::l2;
    if (entry.wave != wave) entry.at.l1 = now.l1;
    entry.at.l2 = now.l2;
    touch(entry, wave);
    return written;
  }

  // A line and the wave that touched it last.
  static constexpr std::uint64_t line_key(std::uint64_t line, unsigned wave) {
    return line * kWaves + wave;
  }
  // The key of the line that the last access made the model forget; kNone if there was none.
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  bool has_forgotten() const { return forgotten_ != kNone; }
  std::uint64_t take_forgotten() { return std::exchange(forgotten_, kNone); }

 private:
  static constexpr std::uint32_t kWays = 4, kNeighbours = 8;
  // Lines of 128 bytes of 48-bit addresses; the rest of a tag is the epoch.
  static constexpr unsigned kLineBits = 41;

  // Lines that a wave has fetched into its share of each level.
  struct Clocks {
    std::uint32_t l1 = 0, l2 = 0;
  };
  struct Entry {
    Clocks at;  // of the wave that touched it last
    std::uint32_t order = 0;
    std::uint8_t wave = 0;
    std::uint8_t halves = 0;  // in the L1
    Level fetched_from = Level::l1;
    std::uint16_t arrived_at = 0;  // waves that waited for it, by bits
    std::uint32_t fetched_in = 0;  // phase
  };
  static_assert(kWaves <= 16);

  // Whether the L2 has a line that the L1 lacks.
  Level of_l2(const Entry& entry, const Clocks& now, bool found, bool own,
              std::uint32_t& since) const {
    if (!found) return Level::seen_first;
    if (!own || now.l2 - entry.at.l2 <= l2_share_) return Level::l2;
    since = now.l2 - entry.at.l2;
    return Level::lost;
  }

  // A line is in the L1: what a wave waits for that touches it.
  Level awaited_by(Entry& entry, unsigned wave) const {
    const auto bit = static_cast<std::uint16_t>(1u << wave);
    if (entry.fetched_in != phase_ || (entry.arrived_at & bit) != 0) return Level::l1;
    entry.arrived_at |= bit;
    return entry.fetched_from;
  }

  void touch(Entry& entry, unsigned wave) {
    entry.wave = static_cast<std::uint8_t>(wave);
    entry.order = ++tick_;
  }

  // The line's entry, or the one of its set that gives way to it. The ways of a set fill in order,
  // so behind one of a former workgroup there is nothing to find.
  Entry& find(std::uint64_t line, bool& found) {
    const std::size_t set = set_of(line);
    const std::uint64_t tag = line | epoch_;
    for (unsigned way = 0; way < kWays; ++way) {
      const std::size_t at = set + std::size_t{way} * kNeighbours;
      if (tags_[at] == tag) {
        found = true;
        return entries_[at];
      }
      if (tags_[at] >> kLineBits != epoch_ >> kLineBits) {
        tags_[at] = tag;
        return entries_[at];
      }
    }
    return evict(set, tag);
  }

  // The first way of the line's set. Neighbouring lines, which most instructions touch together,
  // lie in neighbouring sets, so that the host fetches few lines of its own for them; in which
  // order depends on where they are, or accesses at a large stride would all meet in one set in
  // eight.
  static std::size_t set_of(std::uint64_t line) {
    constexpr std::uint64_t kGroups = kEntries / kWays / kNeighbours;
    const std::uint64_t scattered = (line / kNeighbours * 0x9e3779b97f4a7c15u) >> 32;
    const std::uint64_t group = scattered * kGroups >> 32;
    return group * kNeighbours * kWays + (line ^ scattered) % kNeighbours;
  }

  // All ways hold lines of this workgroup: the one touched longest ago goes.
  [[gnu::noinline]] Entry& evict(std::size_t set, std::uint64_t tag) {
    std::size_t oldest = set;
    for (std::size_t at = set; at < set + std::size_t{kWays} * kNeighbours; at += kNeighbours) {
      if (entries_[at].order < entries_[oldest].order) oldest = at;
    }
    forgotten_ =
        line_key(tags_[oldest] & ((std::uint64_t{1} << kLineBits) - 1), entries_[oldest].wave);
    tags_[oldest] = tag;
    return entries_[oldest];
  }

  std::vector<std::uint64_t> tags_;
  std::vector<Entry> entries_;
  std::array<Clocks, kWaves> clocks_{};
  std::uint64_t epoch_ = std::uint64_t{1} << kLineBits;
  std::uint64_t l1_share_ = 1, l2_share_ = 1;
  std::uint64_t forgotten_ = kNone;
  std::uint32_t tick_ = 0, phase_ = 0;  // phases: between two barriers
  bool whole_lines_ = false;
};

}  // namespace geak::emulator

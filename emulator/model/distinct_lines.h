// How many different cache lines a dispatch touches: exact while they are few, then estimated from
// a sample of the lines whose hash is small (standard error about 1 / sqrt(slots / 2)).
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace geak::emulator {

// Scatters a line's number; never 0.
inline std::uint64_t line_hash(std::uint64_t line) {
  line = (line ^ line >> 29) * 0xbf58476d1ce4e5b9u;
  line = (line ^ line >> 32) * 0x94d049bb133111ebu;
  return (line ^ line >> 31) | 1;
}

template <std::uint32_t kSlots>
class LineSketch {
 public:
  void clear();
  void add(std::uint64_t line) { add_hash(line_hash(line)); }
  void add_hash(std::uint64_t hash) {
    if (hash > threshold_) return;
    pending_[pending_count_++] = hash;
    if (pending_count_ == kPending) [[unlikely]]
      settle();
  }
  template <std::uint32_t kOther>
  void merge(LineSketch<kOther>& other) {
    other.settle();
    if (other.threshold_ < threshold_) lower_threshold(other.threshold_);
    if (other.count_ == 0) return;
    for (const std::uint64_t hash : other.slots_) {
      if (hash != 0) add_hash(hash);
    }
  }
  double estimate();

 private:
  template <std::uint32_t>
  friend class LineSketch;
  static constexpr std::uint32_t kMost = kSlots / 2, kPending = 128;

  // The highest bits are small in a thinned sample; the lowest is always set.
  static std::uint32_t slot_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 1) % kSlots;
  }
  void settle();
  void insert(std::uint64_t hash);
  void lower_threshold(std::uint64_t threshold);

  std::array<std::uint64_t, kSlots> slots_{};  // 0: free
  // Lines to insert: many at once, for the host fetches their slots side by side then.
  std::array<std::uint64_t, kPending> pending_;
  std::uint32_t pending_count_ = 0;
  std::uint32_t count_ = 0;
  std::uint64_t threshold_ = std::numeric_limits<std::uint64_t>::max();
};

using DistinctLines = LineSketch<8192>;  // of a dispatch
using DieLines = LineSketch<2048>;       // of one die's part of it

extern template class LineSketch<8192>;
extern template class LineSketch<2048>;

}  // namespace geak::emulator

// Distinct cache lines: of one memory instruction, or a sample of a workgroup's.
#pragma once

#include <array>
#include <cstdint>

namespace geak::emulator {

// A set that is emptied by a count, so that it costs nothing to begin anew. It must never be full.
template <unsigned kBits>
class BasicLineSet {
 public:
  static constexpr std::uint32_t kSlots = 1u << kBits;

  void clear() { ++stamp_; }
  // True when the line was not in the set.
  bool insert(std::uint64_t line) {
    Slot& slot = find(line);
    if (slot.stamp == stamp_) return false;
    slot = {line, stamp_};
    return true;
  }
  bool contains(std::uint64_t line) { return find(line).stamp == stamp_; }

 private:
  struct Slot {
    std::uint64_t line = 0;
    std::uint64_t stamp = 0;
  };
  // Where the line is, or the free slot where it would be.
  Slot& find(std::uint64_t line) {
    auto at = static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15u) >> (64 - kBits));
    while (slots_[at].stamp == stamp_ && slots_[at].line != line) at = (at + 1) & (kSlots - 1);
    return slots_[at];
  }

  std::array<Slot, kSlots> slots_{};
  std::uint64_t stamp_ = 1;
};

// More than twice the lines of the largest instruction: 64 lanes, each on up to two lines.
using LineSet = BasicLineSet<9>;

}  // namespace geak::emulator

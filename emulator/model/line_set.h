// Distinct cache lines of one memory instruction.
#pragma once

#include <array>
#include <cstdint>

namespace geak::emulator {

// A set that is emptied by a count, so that it costs nothing to begin anew.
class LineSet {
 public:
  void clear() { ++stamp_; }
  // True when the line was not in the set.
  bool insert(std::uint64_t line) {
    std::uint32_t slot = static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15u) >> 55);
    while (slots_[slot].stamp == stamp_) {
      if (slots_[slot].line == line) return false;
      slot = (slot + 1) & (kSlots - 1);
    }
    slots_[slot] = {line, stamp_};
    return true;
  }

 private:
  // More than twice the lines of the largest instruction: 64 lanes, each on up to two lines.
  static constexpr std::uint32_t kSlots = 512;
  struct Slot {
    std::uint64_t line = 0;
    std::uint64_t stamp = 0;
  };
  std::array<Slot, kSlots> slots_{};
  std::uint64_t stamp_ = 0;
};

}  // namespace geak::emulator

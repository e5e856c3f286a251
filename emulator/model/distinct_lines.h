// How many different cache lines a dispatch touches: exact while they are few, then estimated from
// a sample of the lines whose hash is small (standard error about 2%).
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace geak::emulator {

class DistinctLines {
 public:
  void clear();
  void add(std::uint64_t line) {
    const std::uint64_t hash = mix(line);
    if (hash <= threshold_) insert(hash);
  }
  void merge(const DistinctLines& other);
  double estimate() const;

 private:
  static constexpr std::uint32_t kSlots = 8192, kMost = 4096;

  // Never 0, which marks a free slot.
  static std::uint64_t mix(std::uint64_t line) {
    line = (line ^ line >> 29) * 0xbf58476d1ce4e5b9u;
    line = (line ^ line >> 32) * 0x94d049bb133111ebu;
    return (line ^ line >> 31) | 1;
  }
  void insert(std::uint64_t hash);
  void lower_threshold(std::uint64_t threshold);

  std::array<std::uint64_t, kSlots> slots_{};
  std::uint32_t count_ = 0;
  std::uint64_t threshold_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace geak::emulator

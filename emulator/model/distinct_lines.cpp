#include "emulator/model/distinct_lines.h"

#include <algorithm>
#include <cmath>

namespace geak::emulator {

template <std::uint32_t kSlots>
void LineSketch<kSlots>::clear() {
  if (count_ > 0) slots_.fill(0);
  count_ = 0;
  threshold_ = std::numeric_limits<std::uint64_t>::max();
}

template <std::uint32_t kSlots>
void LineSketch<kSlots>::insert(std::uint64_t hash) {
  // The lowest bits are scattered; the highest ones are small in a thinned sample.
  std::uint32_t slot = static_cast<std::uint32_t>(hash >> 1) % kSlots;
  while (slots_[slot] != 0) {
    if (slots_[slot] == hash) return;
    slot = (slot + 1) % kSlots;
  }
  slots_[slot] = hash;
  if (++count_ > kMost) lower_threshold(threshold_ / 2);
}

template <std::uint32_t kSlots>
void LineSketch<kSlots>::lower_threshold(std::uint64_t threshold) {
  const auto old = slots_;
  slots_.fill(0);
  count_ = 0;
  threshold_ = threshold;
  for (const std::uint64_t hash : old) {
    if (hash != 0 && hash <= threshold_) insert(hash);
  }
}

template <std::uint32_t kSlots>
double LineSketch<kSlots>::estimate() const {
  return std::round(count_ * (0x1p64 / (static_cast<double>(threshold_) + 1)));
}

template class LineSketch<8192>;
template class LineSketch<2048>;

}  // namespace geak::emulator

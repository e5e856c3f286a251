#include "emulator/model/distinct_lines.h"

#include <algorithm>
#include <cmath>

namespace geak::emulator {

template <std::uint32_t kSlots>
void LineSketch<kSlots>::clear() {
  if (count_ > 0) slots_.fill(0);
  count_ = pending_count_ = 0;
  threshold_ = std::numeric_limits<std::uint64_t>::max();
}

template <std::uint32_t kSlots>
void LineSketch<kSlots>::settle() {
  for (std::uint32_t n = 0; n < pending_count_; ++n)
    __builtin_prefetch(&slots_[slot_of(pending_[n])], 1, 3);
  for (std::uint32_t n = 0; n < pending_count_; ++n) {
    if (pending_[n] <= threshold_) insert(pending_[n]);
  }
  pending_count_ = 0;
}

template <std::uint32_t kSlots>
void LineSketch<kSlots>::insert(std::uint64_t hash) {
  std::uint32_t slot = slot_of(hash);
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
double LineSketch<kSlots>::estimate() {
  settle();
  return std::round(count_ * (0x1p64 / (static_cast<double>(threshold_) + 1)));
}

template class LineSketch<8192>;
template class LineSketch<2048>;

}  // namespace geak::emulator

#include "replay/recorder/memory_map.h"

#include <algorithm>

namespace geak::replay {

void MemoryMap::add(Allocation allocation) {
  if (!allocation.base || !allocation.bytes) return;
  auto at = by_base_.lower_bound(allocation.base);
  if (at != by_base_.begin()) {
    const auto previous = std::prev(at);
    if (previous->first + previous->second.bytes > allocation.base) at = previous;
  }
  while (at != by_base_.end() && at->first < allocation.base + allocation.bytes) {
    at = by_base_.erase(at);
  }
  by_base_[allocation.base] = std::move(allocation);
}

void MemoryMap::remove(std::uint64_t base) { by_base_.erase(base); }

const Allocation* MemoryMap::find(std::uint64_t address, bool allow_end) const {
  auto at = by_base_.upper_bound(address);
  if (at == by_base_.begin()) return nullptr;
  const auto& candidate = std::prev(at)->second;
  const std::uint64_t displacement = address - candidate.base;
  return displacement < candidate.bytes || (allow_end && displacement == candidate.bytes)
             ? &candidate
             : nullptr;
}

std::uint64_t MemoryMap::lowest() const { return by_base_.empty() ? 0 : by_base_.begin()->first; }

std::uint64_t MemoryMap::highest() const {
  if (by_base_.empty()) return 0;
  const auto& last = std::prev(by_base_.end())->second;
  return last.base + last.bytes;
}

}  // namespace geak::replay

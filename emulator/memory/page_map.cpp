#include "emulator/memory/page_map.h"

#include <algorithm>

namespace geak::emulator {

PageMap::PageMap() : leaves_(std::make_unique<std::atomic<Leaf*>[]>(kLeaves)) {}

PageMap& PageMap::instance() {
  // Never destroyed: kernels may still run while the process exits.
  static PageMap* map = new PageMap;
  return *map;
}

void PageMap::add(std::uint64_t address, std::uint64_t bytes) { change(address, bytes, 1); }
void PageMap::remove(std::uint64_t address, std::uint64_t bytes) { change(address, bytes, -1); }

void PageMap::change(std::uint64_t address, std::uint64_t bytes, int by) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const std::uint64_t last = (address + bytes - 1) >> kPageBits;
  for (std::uint64_t page = address >> kPageBits; page <= last; ++page) {
    const std::uint64_t index = page >> kLeafBits;
    if (index >= kLeaves) return;
    Leaf* leaf = leaves_[index].load(std::memory_order_relaxed);
    if (!leaf) {
      leaf = owned_.emplace_back(std::make_unique<Leaf>()).get();
      leaves_[index].store(leaf, std::memory_order_release);
    }
    auto& users = leaf->users[page & (kLeafPages - 1)];
    const int changed = users.load(std::memory_order_relaxed) + by;
    users.store(static_cast<std::uint8_t>(std::clamp(changed, 0, 255)), std::memory_order_relaxed);
  }
}

}  // namespace geak::emulator

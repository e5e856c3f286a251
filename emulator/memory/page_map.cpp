#include "emulator/memory/page_map.h"

namespace geak::emulator {

PageMap::PageMap() : leaves_(std::make_unique<std::atomic<Leaf*>[]>(kLeaves)) {}

PageMap& PageMap::instance() {
  // Never destroyed: kernels may still run while the process exits.
  static PageMap* map = new PageMap;
  return *map;
}

template <typename Change>
void PageMap::for_pages(std::uint64_t address, std::uint64_t bytes, Change&& change) {
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
    const std::uint8_t before = users.load(std::memory_order_relaxed);
    users.store(static_cast<std::uint8_t>(change(before)), std::memory_order_relaxed);
  }
}

void PageMap::add(std::uint64_t address, std::uint64_t bytes) {
  for_pages(address, bytes,
            [](std::uint8_t users) { return (users & ~kShared) == 0x7f ? users : users + 1; });
}

void PageMap::remove(std::uint64_t address, std::uint64_t bytes) {
  for_pages(address, bytes,
            [](std::uint8_t users) { return (users & ~kShared) == 0 ? users : users - 1; });
}

void PageMap::set_shared(std::uint64_t address, std::uint64_t bytes, bool shared) {
  for_pages(address, bytes,
            [shared](std::uint8_t users) { return shared ? users | kShared : users & ~kShared; });
}

}  // namespace geak::emulator

#include "emulator/hsa/allocation_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>

#include "emulator/hsa/guard.h"
#include "emulator/memory/page_map.h"

namespace geak::emulator {
namespace {

// What the host can still give without killing somebody. Unknown: no limit.
std::uint64_t available_host_bytes() {
  std::ifstream info("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  for (std::string line; info >> name >> kib && std::getline(info, line);) {
    if (name == "MemAvailable:") return kib * 1024;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

// Smaller ones aren't worth reading /proc for.
constexpr std::uint64_t kCheckedBytes = 16u << 20;

}  // namespace

void* AllocationTable::allocate(Pool& pool, std::size_t bytes) {
  require(bytes <= pool.bytes, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  const std::uint64_t mapped =
      (bytes + kAllocationGranule - 1) / kAllocationGranule * kAllocationGranule;
  if (mapped >= kCheckedBytes) {
    require(mapped <= available_host_bytes(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  }
  require(used_bytes(*pool.owner) + mapped <= pool.bytes, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  void* zone = mmap(nullptr, mapped + 2 * red_zone(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(zone != MAP_FAILED, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  Allocation allocation;
  allocation.base = reinterpret_cast<std::uint64_t>(zone) + red_zone();
  allocation.bytes = bytes;
  allocation.mapped_bytes = mapped;
  allocation.pool = &pool;
  allocation.access = {pool.owner};
  PageMap::instance().add(allocation.base, mapped);
  if (checker_) {
    checker_->allocated(pool.owner->gpu ? check::Region::Kind::device : check::Region::Kind::host,
                        allocation.base, bytes, allocation.base - red_zone(),
                        allocation.base + mapped + red_zone());
  }
  void* memory = reinterpret_cast<void*>(allocation.base);
  const std::unique_lock lock(mutex_);
  by_base_[allocation.base] = std::move(allocation);
  return memory;
}

void AllocationTable::release(const Allocation& allocation) {
  if (checker_) checker_->unmapped(allocation.base);
  PageMap::instance().remove(allocation.base, allocation.mapped_bytes);
  munmap(reinterpret_cast<void*>(allocation.base - red_zone()),
         allocation.mapped_bytes + 2 * red_zone());
}

bool AllocationTable::free(void* base) {
  Allocation allocation;
  {
    const std::unique_lock lock(mutex_);
    const auto found = by_base_.find(reinterpret_cast<std::uint64_t>(base));
    if (found == by_base_.end() || found->second.type != HSA_EXT_POINTER_TYPE_HSA) return false;
    allocation = std::move(found->second);
    by_base_.erase(found);
  }
  for (const auto& [callback, data] : allocation.on_free) callback(base, data);
  if (!checker_) {
    release(allocation);
    return true;
  }
  checker_->freed(allocation.base);
  const std::unique_lock lock(mutex_);
  quarantined_bytes_ += allocation.mapped_bytes;
  quarantine_.push_back(std::move(allocation));
  while (quarantined_bytes_ > check::Checker::kQuarantine) {
    quarantined_bytes_ -= quarantine_.front().mapped_bytes;
    release(quarantine_.front());
    quarantine_.pop_front();
  }
  return true;
}

void AllocationTable::lock(void* base, std::size_t bytes, Pool* pool, std::vector<Agent*> agents) {
  const auto address = reinterpret_cast<std::uint64_t>(base);
  {
    const std::unique_lock lock(mutex_);
    auto [place, added] = by_base_.try_emplace(address);
    Allocation& allocation = place->second;
    require(added || allocation.type == HSA_EXT_POINTER_TYPE_LOCKED,
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    allocation.base = address;
    allocation.bytes = std::max<std::uint64_t>(allocation.bytes, bytes);
    allocation.type = HSA_EXT_POINTER_TYPE_LOCKED;
    allocation.pool = pool;
    allocation.access = std::move(agents);
    allocation.locks.push_back(bytes);
    longest_lock_ = std::max<std::uint64_t>(longest_lock_, bytes);
  }
  PageMap::instance().add(address, bytes);
}

bool AllocationTable::unlock(void* base) {
  std::uint64_t bytes = 0;
  {
    const std::unique_lock lock(mutex_);
    const auto found = by_base_.find(reinterpret_cast<std::uint64_t>(base));
    if (found == by_base_.end() || found->second.type != HSA_EXT_POINTER_TYPE_LOCKED) return false;
    auto& locks = found->second.locks;
    bytes = locks.back();
    locks.pop_back();
    if (locks.empty()) {
      by_base_.erase(found);
    } else {
      found->second.bytes = *std::max_element(locks.begin(), locks.end());
    }
  }
  PageMap::instance().remove(reinterpret_cast<std::uint64_t>(base), bytes);
  return true;
}

Allocation* AllocationTable::locate(const void* address) {
  const auto wanted = reinterpret_cast<std::uint64_t>(address);
  for (auto next = by_base_.upper_bound(wanted); next != by_base_.begin();) {
    Allocation& candidate = (--next)->second;
    if (wanted - candidate.base < candidate.bytes) return &candidate;
    // A longer locked range may begin further below.
    if (wanted - candidate.base >= longest_lock_) break;
  }
  return nullptr;
}

std::optional<Allocation> AllocationTable::find(const void* address) const {
  const std::shared_lock lock(mutex_);
  const auto* found = const_cast<AllocationTable*>(this)->locate(address);
  return found ? std::optional(*found) : std::nullopt;
}

std::uint64_t AllocationTable::used_bytes(const Agent& agent) const {
  const std::shared_lock lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& [base, allocation] : by_base_) {
    if (allocation.pool && allocation.pool->owner == &agent) sum += allocation.mapped_bytes;
  }
  return sum;
}

}  // namespace geak::emulator

// All memory that was given to the GPUs.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "emulator/check/checker.h"
#include "emulator/hsa/agent.h"

namespace geak::emulator {

struct Allocation {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;         // as asked for
  std::uint64_t mapped_bytes = 0;  // whole pages; 0 for memory that isn't ours (locked)
  hsa_amd_pointer_type_t type = HSA_EXT_POINTER_TYPE_HSA;
  Pool* pool = nullptr;
  void* user_data = nullptr;
  // Of locked memory: the sizes with which this address was locked and not yet unlocked. The
  // runtime pins parts of one buffer for copies that overlap in time.
  std::vector<std::uint64_t> locks;
  std::vector<Agent*> access;
  std::vector<std::pair<hsa_amd_deallocation_callback_t, void*>> on_free;
};

class AllocationTable {
 public:
  // From now on allocations have red zones, freed ones stay mapped for a while, and the checker
  // learns of both.
  void watch(check::Checker* checker) { checker_ = checker; }

  // Zero-filled pages from the host. Throws StatusError OUT_OF_RESOURCES when the pool or the
  // host's memory can't hold it.
  void* allocate(Pool& pool, std::size_t bytes);
  // False when no allocation begins there.
  bool free(void* base);

  void lock(void* base, std::size_t bytes, Pool* pool, std::vector<Agent*> agents);
  bool unlock(void* base);

  // The allocation that holds the address.
  std::optional<Allocation> find(const void* address) const;
  // Changes an allocation in place; false when none holds the address.
  template <typename Change>
  bool change(const void* address, Change&& change_it) {
    const std::unique_lock lock(mutex_);
    Allocation* found = locate(address);
    if (found) change_it(*found);
    return found != nullptr;
  }

  std::uint64_t used_bytes(const Agent& agent) const;

 private:
  Allocation* locate(const void* address);
  void release(const Allocation& allocation);
  std::uint64_t red_zone() const { return checker_ ? check::Checker::kRedZone : 0; }

  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Allocation> by_base_;
  check::Checker* checker_ = nullptr;
  std::deque<Allocation> quarantine_;  // freed, oldest first
  std::uint64_t quarantined_bytes_ = 0;
  std::uint64_t longest_lock_ = 0;  // ever: bounds the search among ranges that overlap
};

}  // namespace geak::emulator

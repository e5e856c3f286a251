#include "emulator/hsa/signal_pool.h"

#include <sys/mman.h>

#include <new>

#include "emulator/hsa/runtime.h"
#include "emulator/memory/page_map.h"

namespace geak::emulator {

amd_signal_t* SignalPool::create(std::int64_t value) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    void* slab =
        mmap(nullptr, kSlabBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab == MAP_FAILED) throw std::bad_alloc();
    PageMap::instance().add(reinterpret_cast<std::uint64_t>(slab), kSlabBytes);
    auto* signals = static_cast<amd_signal_t*>(slab);
    std::size_t count = kSlabBytes / sizeof(amd_signal_t);
    if (!mailbox_) mailbox_ = reinterpret_cast<std::uint64_t*>(&signals[--count]);
    while (count > 0) free_.push_back(&signals[--count]);
  }
  amd_signal_t* signal = new (free_.back()) amd_signal_t{};
  free_.pop_back();
  signal->kind = AMD_SIGNAL_KIND_USER;
  // Non-zero, so that device code tells of its change by s_sendmsg(interrupt): nobody reads it.
  signal->event_mailbox_ptr = reinterpret_cast<std::uint64_t>(mailbox_);
  signal->event_id = 1;
  value_of(signal).store(value, std::memory_order_release);
  return signal;
}

void SignalPool::destroy(amd_signal_t* signal) {
  signal->kind = AMD_SIGNAL_KIND_INVALID;
  const std::lock_guard lock(mutex_);
  free_.push_back(signal);
}

void complete(hsa_signal_t handle, std::uint64_t start, std::uint64_t end) {
  if (handle.handle == 0) return;
  amd_signal_t* signal = signal_of(handle);
  std::atomic_ref<std::uint64_t>(signal->start_ts).store(start, std::memory_order_relaxed);
  std::atomic_ref<std::uint64_t>(signal->end_ts).store(end, std::memory_order_release);
  value_of(signal).fetch_sub(1, std::memory_order_acq_rel);
  Runtime::instance().changes.notify();
}

bool satisfied(std::int64_t value, hsa_signal_condition_t condition, std::int64_t compare) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == compare;
    case HSA_SIGNAL_CONDITION_NE:
      return value != compare;
    case HSA_SIGNAL_CONDITION_LT:
      return value < compare;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= compare;
  }
  return false;
}

}  // namespace geak::emulator

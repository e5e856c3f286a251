// Memory of signals.
#pragma once

#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace geak::emulator {

// Signals lie in pages that the GPU may touch, as amd_signal_t: kernels change them directly.
class SignalPool {
 public:
  amd_signal_t* create(std::int64_t value);
  void destroy(amd_signal_t* signal);

 private:
  static constexpr std::size_t kSlabBytes = 64 * 1024;
  std::mutex mutex_;
  std::vector<amd_signal_t*> free_;
  std::uint64_t* mailbox_ = nullptr;
};

inline amd_signal_t* signal_of(hsa_signal_t handle) {
  return reinterpret_cast<amd_signal_t*>(handle.handle);
}
inline hsa_signal_t handle_of(const amd_signal_t* signal) {
  return {reinterpret_cast<std::uint64_t>(signal)};
}

// The value, atomically; hosts and kernels change it at once.
inline std::atomic_ref<std::int64_t> value_of(amd_signal_t* signal) {
  return std::atomic_ref<std::int64_t>(const_cast<std::int64_t&>(signal->value));
}

// When the work that the signal tells of ended on the modelled device; 0: never.
inline std::uint64_t end_time(amd_signal_t* signal) {
  return std::atomic_ref<std::uint64_t>(signal->end_ts).load(std::memory_order_acquire);
}

// Time stamps first, then the decrement that others wait for, then the wake-up.
void complete(hsa_signal_t signal, std::uint64_t start, std::uint64_t end);

bool satisfied(std::int64_t value, hsa_signal_condition_t condition, std::int64_t compare);

}  // namespace geak::emulator

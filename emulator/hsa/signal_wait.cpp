#include "emulator/hsa/signal_wait.h"

#include <algorithm>
#include <chrono>

#include "emulator/hsa/runtime.h"

namespace geak::emulator {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point deadline_after(std::uint64_t nanoseconds) {
  constexpr std::uint64_t kForever = 365ull * 24 * 3600 * 1000000000;
  return Clock::now() + std::chrono::nanoseconds(std::min(nanoseconds, kForever));
}

}  // namespace

hsa_signal_value_t wait_for(hsa_signal_t handle, hsa_signal_condition_t condition,
                            hsa_signal_value_t compare, std::uint64_t timeout, hsa_wait_state_t) {
  auto& runtime = Runtime::instance();
  amd_signal_t* signal = signal_of(handle);
  hsa_signal_value_t value = 0;
  const bool met = runtime.changes.wait_until(
      [&] {
        value = value_of(signal).load(std::memory_order_acquire);
        return satisfied(value, condition, compare);
      },
      deadline_after(timeout));
  if (met) runtime.host_clock.saw(end_time(signal));
  return value;
}

std::uint32_t wait_for_any(std::uint32_t count, const hsa_signal_t* signals,
                           const hsa_signal_condition_t* conditions,
                           const hsa_signal_value_t* values, std::uint64_t timeout,
                           hsa_signal_value_t* satisfying) {
  auto& runtime = Runtime::instance();
  std::uint32_t found = count;
  const auto any = [&] {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto value = value_of(signal_of(signals[i])).load(std::memory_order_acquire);
      if (!satisfied(value, conditions[i], values[i])) continue;
      if (satisfying) *satisfying = value;
      found = i;
      return true;
    }
    return false;
  };
  if (runtime.changes.wait_until(any, deadline_after(timeout))) {
    runtime.host_clock.saw(end_time(signal_of(signals[found])));
  }
  return found;
}

}  // namespace geak::emulator

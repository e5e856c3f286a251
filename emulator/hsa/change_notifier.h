// How threads learn that some signal changed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace geak::emulator {

// One counter for all signals of the process, waited on by futex. Kernels may store to a signal's
// value with no notification, so nobody waits longer than kPoll without looking.
class ChangeNotifier {
 public:
  static constexpr std::chrono::microseconds kPoll{1000};

  void notify();
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  // Returns when the epoch differs from `seen`, or after at most `longest` (and kPoll).
  void wait(std::uint32_t seen, std::chrono::nanoseconds longest = kPoll);

  // Looks until `done()` or the deadline; true when done.
  template <typename Done>
  bool wait_until(Done&& done, std::chrono::steady_clock::time_point deadline,
                  unsigned spins = kSpins) {
    for (unsigned i = 0; i < spins; ++i) {
      if (done()) return true;
      __builtin_ia32_pause();
    }
    while (true) {
      const auto seen = epoch();
      if (done()) return true;
      const auto left = deadline - std::chrono::steady_clock::now();
      if (left <= std::chrono::nanoseconds(0)) return false;
      wait(seen, left);
    }
  }

 private:
  static constexpr unsigned kSpins = 200;
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> waiters_{0};
};

}  // namespace geak::emulator

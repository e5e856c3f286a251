// Modelled time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace geak::emulator {

// When the work of one engine (a queue, a copy engine) ends on the modelled device, in nanoseconds
// of the HSA timestamp domain. Work is ordered across engines by the time stamps of the signals
// that order it, and by what the host had seen when it submitted it.
class DeviceClock {
 public:
  struct Span {
    std::uint64_t start = 0, end = 0;
  };

  // Work that takes `duration_ns` and can't begin before `not_before`.
  Span advance(std::uint64_t not_before, double duration_ns) {
    const auto duration = static_cast<std::uint64_t>(std::max(0.0, duration_ns) + 0.5);
    std::uint64_t now = now_.load(std::memory_order_relaxed);
    Span span;
    do {
      span.start = std::max(now, not_before);
      span.end = span.start + duration;
    } while (!now_.compare_exchange_weak(now, span.end, std::memory_order_acq_rel));
    return span;
  }

 private:
  std::atomic<std::uint64_t> now_{0};
};

// The latest modelled time that the host has seen: what it submits later can't begin earlier.
class HostClock {
 public:
  std::uint64_t now() const { return now_.load(std::memory_order_acquire); }
  void saw(std::uint64_t time) {
    std::uint64_t now = now_.load(std::memory_order_relaxed);
    while (now < time && !now_.compare_exchange_weak(now, time, std::memory_order_acq_rel)) {
    }
  }

 private:
  std::atomic<std::uint64_t> now_{0};
};

// Nanoseconds of the host's monotonic clock: the HSA timestamp.
std::uint64_t host_timestamp();

}  // namespace geak::emulator

// When the memory operations of one wave return on the modelled device, in cycles of its clock:
// what the wave would wait for if it were alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace geak::emulator {

class WaveClock {
 public:
  // What the rings hold is not looked at before it is written again.
  void clear() {
    issued_vector_ = issued_lds_ = 0;
    last_vector_ = last_lds_ = last_scalar_ = stalled_ = 0;
  }
  std::uint64_t stalled() const { return stalled_; }  // so far, by waits

  // Operations issued at `now` that return after `cycles`. Vector memory returns in order, LDS too;
  // scalar loads in any.
  void issue_vector(std::uint64_t now, std::uint32_t cycles) {
    last_vector_ = std::max(last_vector_, now + cycles);
    vector_[issued_vector_++ % kCounted] = last_vector_;
  }
  void issue_lds(std::uint64_t now, std::uint32_t cycles) {
    last_lds_ = std::max(last_lds_, now + cycles);
    lds_[issued_lds_++ % kCounted] = last_lds_;
  }
  void issue_scalar(std::uint64_t now, std::uint32_t cycles) {
    last_scalar_ = std::max(last_scalar_, now + cycles);
  }

  // Until no more than `left` (below 64) are outstanding: the cycles that the wave stands.
  std::uint64_t wait_vector(std::uint64_t now, std::uint32_t left) {
    return stand(now, issued_vector_ > left ? vector_[(issued_vector_ - left - 1) % kCounted] : 0);
  }
  std::uint64_t wait_lds(std::uint64_t now, std::uint32_t left) {
    return stand(now, issued_lds_ > left ? lds_[(issued_lds_ - left - 1) % kCounted] : 0);
  }
  // Until another wave comes at that time.
  std::uint64_t wait_until(std::uint64_t now, std::uint64_t time) { return stand(now, time); }
  // Stands whatever is outstanding.
  void idle(std::uint32_t cycles) { stalled_ += cycles; }
  std::uint64_t wait_scalar(std::uint64_t now) { return stand(now, last_scalar_); }

 private:
  static constexpr std::uint32_t kCounted = 64;  // s_waitcnt counts no further

  std::uint64_t stand(std::uint64_t now, std::uint64_t ready) {
    const std::uint64_t cycles = ready > now ? ready - now : 0;
    stalled_ += cycles;
    return cycles;
  }

  std::array<std::uint64_t, kCounted> vector_{}, lds_{};
  std::uint32_t issued_vector_ = 0, issued_lds_ = 0;
  std::uint64_t last_vector_ = 0, last_lds_ = 0, last_scalar_ = 0;
  std::uint64_t stalled_ = 0;
};

}  // namespace geak::emulator

// Another order of execution than the usual one, for whoever asks whether a kernel's result depends
// on it.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/wave/wave.h"

namespace geak::emulator {

// Usually workgroups start in order and waves run in order, each up to where it waits. Hardware
// promises neither. A seed decides on an order, the same each time:
//   0         the usual order, kept: with several threads, who is first is the host's chance;
//   1         workgroups and waves from last to first, each up to where it waits;
//   2 and up  workgroups start shuffled, several are under way at once, and their waves take turns
//             in any order, of some instructions each.
// A dispatch with a schedule is run by one thread.
class Schedule {
 public:
  explicit Schedule(std::uint64_t seed) : seed_(seed), state_(seed) {}
  // GEAK_EMU_SCHEDULE as it is now, so that a process can change it between its dispatches; none
  // where it is unset or empty. Throws std::runtime_error on anything that is no number.
  static std::optional<Schedule> of_environment();

  // Which of `count` workgroups starts as the n-th: each one once.
  std::uint64_t workgroup(std::uint64_t n, std::uint64_t count) const;
  // How many workgroups are under way at once.
  unsigned workgroups_at_once() const { return interrupts() ? kAtOnce : 1; }
  // Fills `order` with 0 to count - 1 in the order of the next turn.
  template <typename Order>
  void order_turn(Order& order, unsigned count) {
    order.resize(count);
    for (unsigned n = 0; n < count; ++n) order[n] = seed_ ? count - 1 - n : n;
    for (unsigned n = count; interrupts() && n > 1; --n) std::swap(order[n - 1], order[below(n)]);
  }
  // Whether a wave's turn ends between any two instructions.
  bool interrupts() const { return seed_ > 1; }
  // How many instructions a wave's next turn is long.
  std::uint64_t turn();

 private:
  static constexpr unsigned kAtOnce = 6;
  std::uint64_t next();
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

  std::uint64_t seed_, state_;
};

// Runs at most `count` instructions of the wave; else as run_wave().
void run_instructions(Wave& wave, std::uint64_t count);

}  // namespace geak::emulator

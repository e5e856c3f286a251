#include "emulator/wave/schedule.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "emulator/isa/interpreter.h"

namespace geak::emulator {
namespace {

// A bijection of 64 bits (the finalizer of MurmurHash3).
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 33) * 0xff51afd7ed558ccdu;
  value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53u;
  return value ^ value >> 33;
}

}  // namespace

std::optional<Schedule> Schedule::of_environment() {
  const char* text = std::getenv("GEAK_EMU_SCHEDULE");
  if (!text || !*text) return std::nullopt;
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), seed);
  if (error != std::errc() || *end != '\0') {
    throw std::runtime_error("GEAK_EMU_SCHEDULE='" + std::string(text) + "': must be a number");
  }
  return Schedule(seed);
}

std::uint64_t Schedule::workgroup(std::uint64_t n, std::uint64_t count) const {
  if (!interrupts()) return seed_ ? count - 1 - n : n;
  // n * step + begin modulo count meets each once where step and count share no factor.
  std::uint64_t step = count > 2 ? 1 + mixed(seed_) % (count - 1) : 1;
  while (std::gcd(step, count) != 1) ++step;
  const auto product = static_cast<unsigned __int128>(n) * step + mixed(~seed_) % count;
  return static_cast<std::uint64_t>(product % count);
}

std::uint64_t Schedule::turn() {
  // Short ones find what lies between two instructions, long ones let a wave overtake others.
  constexpr std::uint64_t kShort = 12, kMedium = 150, kLong = 4000;
  const auto kind = below(8);
  return 1 + below(kind < 4 ? kShort : kind < 7 ? kMedium : kLong);
}

std::uint64_t Schedule::next() { return mixed(state_ += 0x9e3779b97f4a7c15u); }

void run_instructions(Wave& wave, std::uint64_t count) {
  wave.state = WaveState::running;
  // Never used up at a branch: `count` ends the turn.
  wave.quantum = INT64_MAX;
  wave.mode_changed = false;
  const Instruction* instruction = wave.pc;
  for (; count > 0; --count) {
    instruction = execute_one(wave, instruction);
    if (instruction) continue;
    if (!wave.mode_changed || wave.state != WaveState::running) return;
    wave.mode_changed = false;
    instruction = wave.pc;
  }
  wave.pc = instruction;
}

}  // namespace geak::emulator

#include "emulator/isa/interpreter.h"

#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "emulator/isa/constants.h"
#include "emulator/isa/disassembler.h"
#include "emulator/isa/execution_log.h"
#include "emulator/isa/operation.h"
#include "emulator/isa/program.h"
#include "emulator/isa/register_indexing.h"

namespace geak::emulator {
namespace {

void count(Wave& wave, const Instruction* instruction) {
  const auto index = static_cast<unsigned>(instruction->counter);
  ++wave.executed[index];
  wave.active_lanes[index] += static_cast<unsigned>(std::popcount(wave.exec()));
}

// Rounding to nearest even and all denormals: the host's own mode.
void run_default_mode(Wave& wave, const Instruction* instruction) {
  while (instruction != nullptr) {
    count(wave, instruction);
    instruction = instruction->handler(wave, instruction);
  }
}

// MXCSR for one pair of MODE's fields. `round`: 0 even, 1 up, 2 down, 3 to zero; `denormals`:
// bit 0 sources, bit 1 results are kept.
unsigned host_mode(unsigned round, unsigned denormals) {
  static constexpr unsigned kRound[] = {0, 2, 1, 3};  // MXCSR: even, down, up, to zero
  constexpr unsigned kMasked = 0x1f80, kDenormalsAreZero = 1u << 6, kFlushToZero = 1u << 15;
  return kMasked | kRound[round & 3] << 13 | (denormals & 1 ? 0 : kDenormalsAreZero) |
         (denormals & 2 ? 0 : kFlushToZero);
}

void record(const Wave& wave, const Instruction* instruction) {
  if (instruction->operation)
    ExecutionLog::of_this_thread().add(instruction->operation);
  else
    ExecutionLog::instance()->add_unknown(wave, *instruction);
}

// The host's floating-point mode is set around each operation that obeys MODE.
template <bool kRecord>
void run_with_mode(Wave& wave, const Instruction* instruction) {
  const unsigned f32 = host_mode(wave.mode & 3, wave.mode >> 4 & 3);
  const unsigned f64 = host_mode(wave.mode >> 2 & 3, wave.mode >> 6 & 3);
  const unsigned host = _mm_getcsr();
  const bool indexing = wave.mode & kModeIndexing;
  while (instruction != nullptr) {
    count(wave, instruction);
    if constexpr (kRecord) record(wave, instruction);
    const Operation* operation = instruction->operation;
    const Handler handler = indexing ? execute_indexed : instruction->handler;
    if (operation != nullptr && (operation->f32_mode || operation->f64_mode)) {
      _mm_setcsr(operation->f32_mode ? f32 : f64);
      instruction = handler(wave, instruction);
      _mm_setcsr(host);
    } else {
      instruction = handler(wave, instruction);
    }
  }
}

}  // namespace

void run_wave(Wave& wave, std::int64_t quantum) {
  wave.state = WaveState::running;
  wave.quantum = quantum;
  const bool recorded = ExecutionLog::instance() != nullptr;
  do {
    wave.mode_changed = false;
    if (recorded)
      run_with_mode<true>(wave, wave.pc);
    else if ((wave.mode & (0xff | kModeIndexing)) == (kDefaultMode & 0xff))
      run_default_mode(wave, wave.pc);
    else
      run_with_mode<false>(wave, wave.pc);
  } while (wave.mode_changed && wave.state == WaveState::running);
}

const Instruction* execute_one(Wave& wave, const Instruction* instruction) {
  count(wave, instruction);
  if ((wave.mode & (0xff | kModeIndexing)) == (kDefaultMode & 0xff))
    return instruction->handler(wave, instruction);
  const Handler handler = wave.mode & kModeIndexing ? execute_indexed : instruction->handler;
  const Operation* operation = instruction->operation;
  if (operation == nullptr || !(operation->f32_mode || operation->f64_mode))
    return handler(wave, instruction);
  const unsigned host = _mm_getcsr();
  _mm_setcsr(operation->f32_mode ? host_mode(wave.mode & 3, wave.mode >> 4 & 3)
                                 : host_mode(wave.mode >> 2 & 3, wave.mode >> 6 & 3));
  const Instruction* next = handler(wave, instruction);
  _mm_setcsr(host);
  return next;
}

void Wave::reset(std::uint32_t initial_mode) {
  static const std::array<std::uint32_t, 128> constants = [] {
    std::array<std::uint32_t, 128> values;
    for (unsigned n = 0; n < 128; ++n) values[n] = inline_constant32(128 + n);
    return values;
  }();
  std::fill_n(sgpr, 128, 0u);
  std::copy(constants.begin(), constants.end(), sgpr + 128);
  set_scalar64(kExec, ~std::uint64_t{0});
  scc = 0;
  mode = initial_mode;
  pc = nullptr;
  quantum = 0;
  state = WaveState::running;
  fault_kind = FaultKind::none;
  mode_changed = false;
  trap_id = 0;
  std::fill(std::begin(executed), std::end(executed), 0u);
  std::fill(std::begin(active_lanes), std::end(active_lanes), 0u);
  fault_message.clear();
}

std::string hexadecimal(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string describe(const Wave& wave, const Instruction& instruction) {
  if (wave.program == nullptr || instruction.offset >= wave.program->bytes())
    return "end of the code";
  const std::uint64_t address = wave.program->address_of(instruction);
  Disassembler disassembler(wave.program->arch());
  std::string text = disassembler.text(wave.program->text().subspan(instruction.offset), address);
  if (text.empty()) {
    std::uint32_t word;
    std::memcpy(&word, wave.program->text().data() + instruction.offset, 4);
    text = "undecodable word " + hexadecimal(word);
  }
  return text + " at " + hexadecimal(address);
}

const Instruction* fault(Wave& wave, const Instruction* instruction, FaultKind::Value kind,
                         std::string message) {
  wave.fault_kind = kind;
  wave.fault_message = std::move(message);
  return stop(wave, WaveState::faulted, instruction);
}

const Instruction* execute_undecodable(Wave& wave, const Instruction* instruction) {
  return fault(wave, instruction, FaultKind::unknown_instruction,
               "not an instruction of " + std::string(to_string(wave.program->arch())) + ": " +
                   describe(wave, *instruction));
}

const Instruction* execute_unfit_operands(Wave& wave, const Instruction* instruction) {
  return fault(wave, instruction, FaultKind::unknown_instruction,
               "an operand is no register or constant that the instruction can have: " +
                   describe(wave, *instruction));
}

const Instruction* execute_unimplemented(Wave& wave, const Instruction* instruction) {
  return fault(wave, instruction, FaultKind::unknown_instruction,
               "the emulator does not implement " + describe(wave, *instruction));
}

const Instruction* execute_refused(Wave& wave, const Instruction* instruction) {
  return fault(
      wave, instruction, FaultKind::unknown_instruction,
      "the emulator refuses " + describe(wave, *instruction) + ": " + instruction->operation->note);
}

const Instruction* execute_wild_branch(Wave& wave, const Instruction* instruction) {
  return fault(wave, instruction, FaultKind::unknown_instruction,
               "branch to where no instruction starts: " + describe(wave, *instruction));
}

const Instruction* execute_past_end(Wave& wave, const Instruction* instruction) {
  return fault(wave, instruction, FaultKind::unknown_instruction,
               "the wave ran past the end of the code");
}

}  // namespace geak::emulator

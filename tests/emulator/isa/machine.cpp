#include "tests/emulator/isa/machine.h"

#include <cstring>

#include "tests/emulator/isa/assembler.h"

namespace geak::emulator::testing {

Machine::Machine() : wave_(std::make_unique<WaveSlot>()) {
  wave_->v = static_cast<Lanes*>(::operator new(kVectorRows * sizeof(Lanes), std::align_val_t{64}));
  std::memset(static_cast<void*>(wave_->v), 0, kVectorRows * sizeof(Lanes));
  wave_->reset(kDefaultMode);
}

Machine::~Machine() { ::operator delete(wave_->v, std::align_val_t{64}); }

bool Machine::load(Arch arch, const std::string& source) {
  Assembled assembled = assemble(arch, source + "\ns_endpgm\n");
  error_ = assembled.error;
  if (!error_.empty()) return false;
  text_ = std::move(assembled.text);
  program_ = std::make_unique<Program>(arch, text_, reinterpret_cast<std::uint64_t>(text_.data()));
  return true;
}

void Machine::run() {
  wave_->program = program_.get();
  wave_->pc = program_->instructions().data();
  constexpr int kTurns = 10000;  // of a program that blocks or loops
  for (int turn = 0; turn < kTurns; ++turn) {
    run_wave(*wave_, 1 << 20);
    if (wave_->state == WaveState::ended || wave_->state == WaveState::faulted) return;
  }
}

}  // namespace geak::emulator::testing

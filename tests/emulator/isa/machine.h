// One wave with registers of its own, for tests of instructions.
#pragma once

#include <memory>
#include <string>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/program.h"
#include "emulator/wave/wave.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator::testing {

class Machine {
 public:
  Machine();
  ~Machine();

  // Assembles `source` plus an s_endpgm and makes it the program; false (and error()) if it does
  // not assemble.
  bool load(Arch arch, const std::string& source);
  // Runs the loaded program from its start to its end; registers keep their values.
  void run();

  const std::string& error() const { return error_; }
  Wave& wave() { return *wave_; }
  Lanes& v(unsigned number) { return wave_->v[number]; }
  std::uint32_t& s(unsigned number) { return wave_->sgpr[number]; }
  const Program& program() const { return *program_; }

 private:
  std::unique_ptr<WaveSlot> wave_;  // memory instructions keep their counts beside the wave
  std::vector<std::byte> text_;
  std::unique_ptr<Program> program_;
  std::string error_;
};

}  // namespace geak::emulator::testing

// LLVM's AMDGPU assembler, for tests that say what they execute in assembly.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/model/device.h"

namespace geak::emulator::testing {

struct Assembled {
  std::vector<std::byte> text;  // machine code; empty if there was an error
  std::string error;
};

// Assembles lines of AMDGPU assembly (labels allowed).
Assembled assemble(Arch arch, const std::string& source);

}  // namespace geak::emulator::testing

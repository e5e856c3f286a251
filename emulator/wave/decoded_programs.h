// The executable segments of a loaded code object, decoded on first use and kept with it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "emulator/isa/program.h"
#include "emulator/wave/dispatch.h"
#include "emulator/wave/kernel_notes.h"

namespace geak::emulator {

class DecodedPrograms : public DecodedCode {
 public:
  explicit DecodedPrograms(const LoadedCode& code);

  // Decodes the code object unless that was done before. Thread safe.
  static const DecodedPrograms& of(const LoadedCode& code);

  struct Place {
    const Program* program = nullptr;
    const Instruction* instruction = nullptr;  // nullptr: no instruction starts at the address
  };
  Place find(std::uint64_t address) const;

  // Of a kernel by its mangled name; zeros where the code object says nothing.
  SpillCounts spills(std::string_view kernel) const;

 private:
  std::vector<std::unique_ptr<Program>> programs_;
  std::map<std::string, SpillCounts, std::less<>> spills_;
};

}  // namespace geak::emulator

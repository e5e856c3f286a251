// Source lines of device code and of the host's callers, from DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/check/memory_regions.h"
#include "emulator/wave/dispatch.h"

namespace geak::emulator::check {

struct SourceFrame {
  std::string function;  // demangled
  std::string file;      // empty: no debug information
  unsigned line = 0;     // 0: unknown
  unsigned column = 0;
  std::string module;  // host frames: the program or library
};

class SourceLines {
 public:
  SourceLines();
  ~SourceLines();

  // The frames at an instruction's address, innermost inlined function first. Without debug
  // information one frame that names the function of the symbol table.
  std::vector<SourceFrame> device(const LoadedCode& code, std::uint64_t address);
  // The program's own frames: those of the HIP and HSA runtimes are left out, but for the name of
  // the entry that the program called, which is the first frame's function.
  std::vector<SourceFrame> host(const HostCalls& calls);
  // Of these, the return addresses in the program itself.
  static HostCalls program_calls(const HostCalls& calls);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string demangled(const std::string& name);

}  // namespace geak::emulator::check

// What `geak run`, `check`, `profile` and `record` share: a program of the user's, on the emulated
// GPU.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/emulator_environment.h"

namespace geak::cli {

struct EmulatedProgram {
  EmulatedProgram() { emulator.hip_program = true; }

  support::EmulatorSettings emulator;
  double timeout_seconds = 0;  // none
  std::vector<std::string> command;
};

// Which emulated devices, for how long, and the program after `--`. `program` outlives `command`.
void add_emulated_program(CLI::App& command, EmulatedProgram& program);

// Throws UsageError where no program follows; `usage` is what comes before `--`.
void require_program(const EmulatedProgram& program, const std::string& usage);

// The program as a child in the terminal's foreground group: it may read the terminal, and Ctrl-C
// reaches it. Its streams are inherited.
support::ChildOptions as_child(const EmulatedProgram& program);
// The same, with the emulated GPU in its environment. Throws as emulator_environment() does.
support::ChildOptions on_emulator(const EmulatedProgram& program);

// Runs it. A program that cannot be started is a UsageError with a shell's code: 127 where there is
// none, 126 where it cannot be executed.
support::ChildResult run_program(const support::ChildOptions& child);
// Replaces this process by it; the same errors.
[[noreturn]] void become_program(const support::ChildOptions& child);

}  // namespace geak::cli

// Compiles one translation unit's device pass, with the user's own compiler and flags.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "clang-tool/compile_command.h"
#include "support/child_process.h"

namespace geak::optimizer {

struct DeviceCompile {
  clang_tool::CompileCommand command;
  std::string target_id;          // "gfx90a"
  std::filesystem::path overlay;  // overlay.yaml as swap writes it; empty: the source as it is
  std::filesystem::path output;   // AMDGPU ELF to be written
  std::chrono::milliseconds timeout{120'000};
};

struct DeviceCompileResult {
  bool succeeded = false;
  bool interrupted = false;
  std::string problem;  // the compiler's first error line, or why it did not end
  double seconds = 0;
};

// A compiler's process for the request, under its limits; the command is the caller's.
support::ChildOptions compiler_child(const DeviceCompile& request);

// Never throws for what the compiler says; throws std::system_error when it can't be started.
DeviceCompileResult compile_device(const DeviceCompile& request);

}  // namespace geak::optimizer

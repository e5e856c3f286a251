#include "cli/emulated_program.h"

#include <cerrno>
#include <system_error>

#include "cli/program_code.h"
#include "cli/subcommand.h"

namespace geak::cli {
namespace {

UsageError cannot_start(const std::system_error& error) {
  return UsageError(error.what(), error.code().value() == ENOENT ? 127 : 126);
}

}  // namespace

void add_emulated_program(CLI::App& command, EmulatedProgram& program) {
  command.add_option("--arch", program.emulator.arch, "Architecture: gfx90a (default), gfx942")
      ->check(CLI::IsMember({"gfx90a", "gfx942"}));
  command.add_option("--device", program.emulator.device, "Device: MI210, MI250X, MI300A, MI300X");
  command.add_option("--devices", program.emulator.devices, "Number of GPUs (default 1)")
      ->check(CLI::Range(1, 16));
  command.add_option("--threads", program.emulator.threads,
                     "Host threads that execute waves (default: one a core)");
  command
      .add_option("--timeout", program.timeout_seconds,
                  "Stop the program after this many seconds (exit code 124)")
      ->check(CLI::PositiveNumber);
  command.add_option("command", program.command, "After --: the program and its arguments");
}

void require_program(const EmulatedProgram& program, const std::string& usage) {
  if (program.command.empty())
    throw UsageError("no program given; usage: " + usage + " -- PROGRAM [ARGUMENTS...]");
}

support::ChildOptions as_child(const EmulatedProgram& program) {
  support::ChildOptions child;
  child.command = program.command;
  child.stdin_stream = child.stdout_stream = child.stderr_stream = support::ChildStream::inherit;
  child.own_process_group = false;
  if (program.timeout_seconds > 0)
    child.timeout = std::chrono::milliseconds(static_cast<long>(program.timeout_seconds * 1000));
  return child;
}

support::ChildOptions on_emulator(const EmulatedProgram& program) {
  if (const std::string problem = problem_of_program(program.command.front()); !problem.empty())
    throw UsageError(problem, 126);
  auto child = as_child(program);
  child.environment =
      support::emulator_environment(support::InstallPaths::of_this_program(), program.emulator);
  return child;
}

support::ChildResult run_program(const support::ChildOptions& child) try {
  return support::run_child(child);
} catch (const std::system_error& error) {
  throw cannot_start(error);
}

void become_program(const support::ChildOptions& child) try {
  support::exec_child(child);
} catch (const std::system_error& error) {
  throw cannot_start(error);
}

}  // namespace geak::cli

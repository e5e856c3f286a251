// geak run: a program on the emulated GPU.
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "cli/fidelity_report.h"
#include "cli/subcommand.h"
#include "support/child_process.h"
#include "support/emulator_environment.h"

namespace geak::cli {
namespace {

struct Options {
  support::EmulatorSettings emulator;
  double timeout_seconds = 0;
  bool fidelity = false;
  std::vector<std::string> command;
};

int run_as_child(support::ChildOptions child, double seconds) {
  child.stdin_stream = child.stdout_stream = child.stderr_stream = support::ChildStream::inherit;
  // It stays in the terminal's foreground group: it may read the terminal, and Ctrl-C reaches it.
  child.own_process_group = false;
  if (seconds > 0) child.timeout = std::chrono::milliseconds(static_cast<long>(seconds * 1000));
  const auto result = support::run_child(child);
  if (result.timed_out) {
    std::cerr << "geak run: error: '" << child.command[0] << "' was stopped after " << seconds
              << " s (--timeout)\n";
    return 124;
  }
  return result.exit_code;
}

// A folder for the emulator's files, gone with this object.
struct ReportFolder {
  ReportFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "geak-fidelity-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw std::system_error(errno, std::generic_category(), "can't make the folder " + pattern);
    path = pattern;
  }
  ~ReportFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

int run_with_fidelity(support::ChildOptions child, double seconds) {
  const ReportFolder folder;
  child.environment.emplace_back("GEAK_EMU_FIDELITY", (folder.path / "executed").string());
  const int code = run_as_child(std::move(child), seconds);
  const auto executed = collect_fidelity(folder.path / "executed");
  if (executed.empty())
    std::cerr << "geak run: warning: no instruction was executed on the emulated GPU, or the "
                 "program was ended by a signal\n";
  else
    std::cerr << "geak run: " << fidelity_text(executed);
  return code;
}

void run(const Options& options) {
  if (options.command.empty()) {
    throw UsageError("no program given; usage: geak run [OPTIONS] -- PROGRAM [ARGUMENTS...]");
  }
  support::ChildOptions child;
  child.command = options.command;
  auto emulator = options.emulator;
  emulator.hip_program = true;
  child.environment =
      support::emulator_environment(support::InstallPaths::of_this_program(), emulator);
  try {
    if (options.timeout_seconds <= 0 && !options.fidelity) support::exec_child(child);
    const int code = options.fidelity ? run_with_fidelity(child, options.timeout_seconds)
                                      : run_as_child(child, options.timeout_seconds);
    if (code != 0) throw CLI::RuntimeError(code);
  } catch (const std::system_error& error) {
    // As a shell: 127 for a program that isn't there, 126 for one that can't be executed.
    throw UsageError(error.what(), error.code().value() == ENOENT ? 127 : 126);
  }
}

}  // namespace

void add_run(CLI::App& app) {
  auto* command = app.add_subcommand("run", "Run a HIP program on the emulated GPU");
  auto options = std::make_shared<Options>();
  command->add_option("--arch", options->emulator.arch, "Architecture: gfx90a (default), gfx942")
      ->check(CLI::IsMember({"gfx90a", "gfx942"}));
  command->add_option("--device", options->emulator.device,
                      "Device: MI210, MI250X, MI300A, MI300X");
  command->add_option("--devices", options->emulator.devices, "Number of GPUs (default 1)")
      ->check(CLI::Range(1, 16));
  command->add_option("--threads", options->emulator.threads,
                      "Host threads that execute waves (default: one a core)");
  command->add_flag("--fidelity", options->fidelity,
                    "Report the instructions that were executed, each as exact, approximate or "
                    "refused (on standard error)");
  command->add_option("--counters", options->emulator.counters_file,
                      "Append one JSON line of counters for each dispatch to this file");
  command
      ->add_option("--timeout", options->timeout_seconds,
                   "Stop the program after this many seconds (exit code 124)")
      ->check(CLI::PositiveNumber);
  command->add_option("command", options->command, "After --: the program and its arguments");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

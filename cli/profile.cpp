// geak profile: what a program's kernels did on the emulated GPU, and what limits them.
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <memory>
#include <system_error>

#include "cli/profile_data.h"
#include "cli/subcommand.h"
#include "support/atomic_file.h"
#include "support/child_process.h"
#include "support/emulator_environment.h"
#include "support/interrupt.h"

namespace geak::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  support::EmulatorSettings emulator;
  double timeout_seconds = 0;
  bool json = false;
  bool launches = false;
  bool runtime_kernels = false;
  std::string html;
  std::vector<std::string> command;
};

// Where the emulator writes its lines; gone with this object.
struct CountersFile {
  CountersFile()
      : path(fs::temp_directory_path() / ("geak-profile-" + std::to_string(::getpid()))) {
    fs::remove(path);
  }
  ~CountersFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  fs::path path;
};

int run_program(const Options& options, const fs::path& counters) {
  support::ChildOptions child;
  child.command = options.command;
  auto emulator = options.emulator;
  emulator.hip_program = true;
  emulator.counters_file = counters.string();
  child.environment =
      support::emulator_environment(support::InstallPaths::of_this_program(), emulator);
  child.stdin_stream = child.stderr_stream = support::ChildStream::inherit;
  // A document on standard output is not mixed with what the program prints.
  child.stdout_stream =
      options.json ? support::ChildStream::capture : support::ChildStream::inherit;
  child.own_process_group = false;
  if (options.timeout_seconds > 0)
    child.timeout = std::chrono::milliseconds(static_cast<long>(options.timeout_seconds * 1000));
  try {
    const auto result = support::run_child(child);
    std::cerr << result.out;
    if (result.interrupted) throw UsageError("interrupted", 130);
    if (result.timed_out) {
      std::cerr << "geak profile: warning: the program was stopped by --timeout: these are the "
                   "launches that had ended\n";
      return 124;
    }
    return result.exit_code;
  } catch (const std::system_error& error) {
    throw UsageError(error.what(), error.code().value() == ENOENT ? 127 : 126);
  }
}

void run(const Options& options) {
  if (options.command.empty()) {
    throw UsageError("no program given; usage: geak profile [OPTIONS] -- PROGRAM [ARGUMENTS...]");
  }
  support::install_interrupt_handlers();
  const CountersFile counters;
  const int code = run_program(options, counters.path);
  const Profile profile = read_profile(counters.path, options.runtime_kernels);
  if (options.json)
    std::cout << to_json(profile, options.command, code).dump(2) << "\n";
  else if (!profile.kernels.empty())
    std::cout << to_text(profile, options.launches);
  if (!options.html.empty())
    support::write_atomically(options.html, to_html(profile, options.command));
  if (profile.kernels.empty())
    std::cerr << "geak profile: warning: no kernel of the program ended on the emulated GPU\n";
  if (code != 0) throw CLI::RuntimeError(code);
}

}  // namespace

void add_profile(CLI::App& app) {
  auto* command =
      app.add_subcommand("profile", "Count what a program's kernels do on the emulated GPU");
  auto options = std::make_shared<Options>();
  command->add_option("--arch", options->emulator.arch, "Architecture: gfx90a (default), gfx942")
      ->check(CLI::IsMember({"gfx90a", "gfx942"}));
  command->add_option("--device", options->emulator.device,
                      "Device: MI210, MI250X, MI300A, MI300X");
  command->add_option("--threads", options->emulator.threads,
                      "Host threads that execute waves (default: one a core)");
  command->add_flag("--launches", options->launches, "Show each launch");
  command->add_flag("--runtime-kernels", options->runtime_kernels,
                    "Show the HIP runtime's own kernels too (copies, fills)");
  command->add_flag("--json", options->json,
                    "Print the document that docs/schemas.md describes; what the program prints "
                    "goes to standard error");
  command->add_option("--html", options->html, "Write a page with a roofline to this file");
  command
      ->add_option("--timeout", options->timeout_seconds,
                   "Stop the program after this many seconds (exit code 124)")
      ->check(CLI::PositiveNumber);
  command->add_option("command", options->command, "After --: the program and its arguments");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

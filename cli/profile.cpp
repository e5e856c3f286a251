// geak profile: what a program's kernels did on the emulated GPU, and what limits them.
#include <iostream>
#include <memory>

#include "cli/emulated_program.h"
#include "cli/profile_data.h"
#include "cli/subcommand.h"
#include "support/atomic_file.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "support/scratch_folder.h"

namespace geak::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  EmulatedProgram program;
  bool json = false;
  bool launches = false;
  bool runtime_kernels = false;
  std::string html;
};

int run_counted(const Options& options, const fs::path& counters) {
  auto program = options.program;
  program.emulator.counters_file = counters.string();
  auto child = on_emulator(program);
  // A document on standard output is not mixed with what the program prints.
  if (options.json) child.stdout_stream = support::ChildStream::capture;
  const auto result = run_program(child);
  std::cerr << result.out;
  if (result.interrupted) throw UsageError("interrupted", 130);
  if (!result.timed_out) return result.exit_code;
  std::cerr << "geak profile: warning: the program was stopped by --timeout: these are the "
               "launches that had ended\n";
  return 124;
}

void run(const Options& options) {
  require_program(options.program, "geak profile [OPTIONS]");
  support::install_interrupt_handlers();
  const support::ScratchFolder folder("geak-profile");
  const fs::path counters = folder.path() / "counters";
  const int code = run_counted(options, counters);
  const Profile profile = read_profile(counters, options.runtime_kernels);
  if (options.json)
    std::cout << support::json_text(to_json(profile, options.program.command, code), 2) << "\n";
  else if (!profile.kernels.empty())
    std::cout << to_text(profile, options.launches);
  if (!options.html.empty())
    support::write_atomically(options.html, to_html(profile, options.program.command));
  if (profile.kernels.empty())
    std::cerr << "geak profile: warning: no kernel of the program ended on the emulated GPU\n";
  if (code != 0) throw CLI::RuntimeError(code);
}

}  // namespace

void add_profile(CLI::App& app) {
  auto* command =
      app.add_subcommand("profile", "Count what a program's kernels do on the emulated GPU");
  auto options = std::make_shared<Options>();
  add_emulated_program(*command, options->program);
  command->add_flag("--launches", options->launches, "Show each launch");
  command->add_flag("--runtime-kernels", options->runtime_kernels,
                    "Show the HIP runtime's own kernels too (copies, fills)");
  command->add_flag("--json", options->json,
                    "Print the document that docs/schemas.md describes; what the program prints "
                    "goes to standard error");
  command->add_option("--html", options->html, "Write a page with a roofline to this file");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

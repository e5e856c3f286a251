// geak run: a program on the emulated GPU.
#include <iostream>
#include <memory>

#include "cli/emulated_program.h"
#include "cli/fidelity_report.h"
#include "cli/subcommand.h"
#include "support/scratch_folder.h"

namespace geak::cli {
namespace {

struct Options {
  EmulatedProgram program;
  bool fidelity = false;
};

int run_as_child(const support::ChildOptions& child, double seconds) {
  const auto result = run_program(child);
  if (result.timed_out) {
    std::cerr << "geak run: error: '" << child.command[0] << "' was stopped after " << seconds
              << " s (--timeout)\n";
    return 124;
  }
  return result.exit_code;
}

int run_with_fidelity(support::ChildOptions child, double seconds) {
  const support::ScratchFolder folder("geak-fidelity");
  child.environment.emplace_back("GEAK_EMU_FIDELITY", (folder.path() / "executed").string());
  const int code = run_as_child(child, seconds);
  const auto executed = collect_fidelity(folder.path() / "executed");
  if (executed.empty())
    std::cerr << "geak run: warning: no instruction was executed on the emulated GPU, or the "
                 "program was ended by a signal\n";
  else
    std::cerr << "geak run: " << fidelity_text(executed);
  return code;
}

void run(const Options& options) {
  require_program(options.program, "geak run [OPTIONS]");
  const auto child = on_emulator(options.program);
  const double seconds = options.program.timeout_seconds;
  int code = 0;
  if (options.fidelity)
    code = run_with_fidelity(child, seconds);
  else if (seconds > 0)
    code = run_as_child(child, seconds);
  else
    become_program(child);
  if (code != 0) throw CLI::RuntimeError(code);
}

}  // namespace

void add_run(CLI::App& app) {
  auto* command = app.add_subcommand("run", "Run a HIP program on the emulated GPU");
  auto options = std::make_shared<Options>();
  add_emulated_program(*command, options->program);
  command->add_flag("--fidelity", options->fidelity,
                    "Report the instructions that were executed, each as exact, approximate or "
                    "refused (on standard error)");
  command->add_option("--counters", options->program.emulator.counters_file,
                      "Append one JSON line of counters for each dispatch to this file");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

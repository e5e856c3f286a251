// geak check: a program on the emulated GPU, with its kernels watched.
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "cli/check_report.h"
#include "cli/subcommand.h"
#include "support/child_process.h"
#include "support/emulator_environment.h"
#include "support/scratch_folder.h"

namespace geak::cli {
namespace {

constexpr const char* kDefaultTools = "memcheck,initcheck,racecheck,synccheck";

struct Options {
  support::EmulatorSettings emulator;
  std::string tools = kDefaultTools;
  bool leaks = false;
  std::string json_file;
  double timeout_seconds = 0;
  std::vector<std::string> command;
};

int run_program(const Options& options, const std::filesystem::path& folder) {
  support::ChildOptions child;
  child.command = options.command;
  auto emulator = options.emulator;
  emulator.hip_program = true;
  emulator.checks = options.tools + (options.leaks ? ",leakcheck" : "");
  emulator.check_file = (folder / "%p.json").string();
  child.environment =
      support::emulator_environment(support::InstallPaths::of_this_program(), emulator);
  child.stdin_stream = child.stdout_stream = child.stderr_stream = support::ChildStream::inherit;
  child.own_process_group = false;  // as geak run: it may read the terminal
  if (options.timeout_seconds > 0)
    child.timeout = std::chrono::milliseconds(static_cast<long>(options.timeout_seconds * 1000));
  const auto result = support::run_child(child);
  if (!result.timed_out) return result.exit_code;
  std::cerr << "geak check: error: '" << options.command[0] << "' was stopped after "
            << options.timeout_seconds << " s (--timeout)\n";
  return 124;
}

void put_json(const std::string& file, const nlohmann::json& document) {
  if (file == "-") {
    std::cout << document.dump(1) << '\n';
    return;
  }
  std::ofstream out(file);
  out << document.dump(1) << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file);
}

void check(const Options& options) {
  if (options.command.empty())
    throw UsageError("no program given; usage: geak check [OPTIONS] -- PROGRAM [ARGUMENTS...]");
  const support::ScratchFolder folder("geak-check");
  int code = 0;
  try {
    code = run_program(options, folder.path());
  } catch (const std::system_error& error) {
    // As a shell: 127 for a program that isn't there, 126 for one that can't be executed.
    throw UsageError(error.what(), error.code().value() == ENOENT ? 127 : 126);
  }
  auto document = merged_findings(folder.path());
  document["exit_code"] = code;
  if (document["processes"] == 0u)
    std::cerr << "geak check: warning: the program did not use the GPU\n";
  if (!options.json_file.empty()) put_json(options.json_file, document);
  print_findings(std::cerr, document);
  if (!document["findings"].empty()) throw CLI::RuntimeError(1);
  if (code != 0) throw CLI::RuntimeError(code);
}

// "a,b" of known names.
std::string check_tools(const std::string& tools) {
  static const std::vector<std::string> known{"memcheck",    "initcheck", "racecheck", "synccheck",
                                              "hazardcheck", "leakcheck", "all"};
  std::istringstream list(tools);
  for (std::string name; std::getline(list, name, ',');) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return "'" + name +
             "' is no check; there are memcheck, initcheck, racecheck, synccheck, hazardcheck, "
             "leakcheck, all";
  }
  return tools.empty() ? "names no check" : "";
}

}  // namespace

void add_check(CLI::App& app) {
  auto* command = app.add_subcommand(
      "check", "Run a HIP program on the emulated GPU and say what its kernels do wrong");
  auto options = std::make_shared<Options>();
  command
      ->add_option("--tool", options->tools,
                   "Checks, with commas between: memcheck, initcheck, racecheck, synccheck (the "
                   "default is these four), hazardcheck, leakcheck, all")
      ->check(check_tools);
  command->add_flag("--leaks", options->leaks, "Also report memory that is never freed");
  command->add_option("--json", options->json_file,
                      "Write the findings to this file as JSON; - for standard output");
  command->add_option("--arch", options->emulator.arch, "Architecture: gfx90a (default), gfx942")
      ->check(CLI::IsMember({"gfx90a", "gfx942"}));
  command->add_option("--device", options->emulator.device,
                      "Device: MI210, MI250X, MI300A, MI300X");
  command->add_option("--devices", options->emulator.devices, "Number of GPUs (default 1)")
      ->check(CLI::Range(1, 16));
  command
      ->add_option("--timeout", options->timeout_seconds,
                   "Stop the program after this many seconds (exit code 124)")
      ->check(CLI::PositiveNumber);
  command->add_option("command", options->command, "After --: the program and its arguments");
  command->callback([options] { check(*options); });
}

}  // namespace geak::cli

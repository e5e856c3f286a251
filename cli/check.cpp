// geak check: a program on the emulated GPU, with its kernels watched.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/check_report.h"
#include "cli/emulated_program.h"
#include "cli/subcommand.h"
#include "support/json_text.h"
#include "support/scratch_folder.h"

namespace geak::cli {
namespace {

constexpr const char* kDefaultTools = "memcheck,initcheck,racecheck,synccheck";

struct Options {
  EmulatedProgram program;
  std::string tools = kDefaultTools;
  bool leaks = false;
  std::string json_file;
};

int run_checked(const Options& options, const std::filesystem::path& folder) {
  auto program = options.program;
  program.emulator.checks = options.tools + (options.leaks ? ",leakcheck" : "");
  program.emulator.check_file = (folder / "%p.json").string();
  const auto result = run_program(on_emulator(program));
  if (!result.timed_out) return result.exit_code;
  std::cerr << "geak check: error: '" << program.command[0] << "' was stopped after "
            << program.timeout_seconds << " s (--timeout)\n";
  return 124;
}

void put_json(const std::string& file, const nlohmann::json& document) {
  if (file == "-") {
    std::cout << support::json_text(document, 1) << '\n';
    return;
  }
  std::ofstream out(file);
  out << support::json_text(document, 1) << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file);
}

void check(const Options& options) {
  require_program(options.program, "geak check [OPTIONS]");
  const support::ScratchFolder folder("geak-check");
  const int code = run_checked(options, folder.path());
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
  static const std::vector<std::string> known{"memcheck",  "initcheck",   "racecheck", "ordercheck",
                                              "synccheck", "hazardcheck", "leakcheck", "all"};
  std::istringstream list(tools);
  for (std::string name; std::getline(list, name, ',');) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return "'" + name +
             "' is no check; there are memcheck, initcheck, racecheck, ordercheck, synccheck, "
             "hazardcheck, leakcheck, all";
  }
  return tools.empty() ? "names no check" : "";
}

}  // namespace

void add_check(CLI::App& app) {
  auto* command = app.add_subcommand(
      "check", "Run a HIP program on the emulated GPU and say what its kernels do wrong");
  auto options = std::make_shared<Options>();
  command
      ->add_option(
          "--tool", options->tools,
          "Checks, with commas between: memcheck, initcheck, racecheck, synccheck (the "
          "default is these four), ordercheck, hazardcheck, leakcheck, all (but ordercheck)")
      ->check(check_tools);
  command->add_flag("--leaks", options->leaks, "Also report memory that is never freed");
  command->add_option("--json", options->json_file,
                      "Write the findings to this file as JSON; - for standard output");
  add_emulated_program(*command, options->program);
  command->callback([options] { check(*options); });
}

}  // namespace geak::cli

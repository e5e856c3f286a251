// geak remake: candidates that were measured elsewhere, made again for the model of time.
#include <iostream>
#include <memory>

#include "cli/subcommand.h"
#include "optimizer/remake.h"
#include "support/interrupt.h"
#include "support/json_text.h"

namespace geak::cli {
namespace {

struct Options {
  optimizer::RemakeSettings remake;
  std::string build = ".", output;
  std::vector<std::string> results;
};

void run(Options& options) {
  support::install_interrupt_handlers();
  auto& settings = options.remake;
  settings.build = std::filesystem::absolute(options.build).lexically_normal();
  settings.output = options.output;
  for (const auto& file : options.results) settings.results.emplace_back(file);
  settings.stop = [] { return support::interrupted(); };
  settings.progress = [](const std::string& line) { std::cerr << "geak: " << line << std::endl; };
  std::cout << support::json_text(optimizer::remake(settings), 2) << std::endl;
}

}  // namespace

void add_remake(CLI::App& app) {
  auto* command = app.add_subcommand(
      "remake", "Make candidates of earlier results again, for bench/model_pairs.py");
  auto options = std::make_shared<Options>();
  command->add_option("results", options->results, "Results of geak-worker")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("-p,--build", options->build, "Build folder (default: here)");
  command->add_option("-o,--output", options->output, "Folder for the code objects")->required();
  command->add_option("--target", options->remake.target,
                      "Only CMake targets that match this glob");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

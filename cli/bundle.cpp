// geak bundle: packs kernels, candidates and records for a worker on another machine.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/subcommand.h"
#include "optimizer/make_bundle.h"
#include "support/install_paths.h"
#include "support/interrupt.h"

namespace geak::cli {
namespace {

struct Options {
  optimizer::BundleSettings bundle;
  std::string build = ".", output;
  std::vector<std::string> runs, results, extend;
  bool no_records = false;
};

// "larger=--shape large" or "app:larger=--shape large"
void add_run(const std::string& text, optimizer::BundleSettings& settings) {
  const auto equals = text.find('=');
  const auto colon = text.rfind(':', equals);
  if (equals == std::string::npos)
    throw UsageError(
        "--run needs [TARGET:]SIZE=ARGUMENTS, for instance --run \"larger=--size 4096\"");
  const std::size_t begin = colon == std::string::npos ? 0 : colon + 1;
  worker::Workload::Run run{text.substr(begin, equals - begin), {}};
  const bool plain = std::ranges::all_of(
      run.size, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  if (run.size.empty() || !plain)
    throw UsageError("the size of --run may have letters, digits, - and _ alone: " + text);
  std::istringstream words(text.substr(equals + 1));
  for (std::string word; words >> word;) run.arguments.push_back(word);
  settings.runs[begin == 0 ? "" : text.substr(0, colon)].push_back(std::move(run));
}

void run(Options& options) {
  support::install_interrupt_handlers();
  auto& settings = options.bundle;
  settings.build = std::filesystem::absolute(options.build).lexically_normal();
  settings.geak = GEAK_VERSION;
  settings.header =
      support::InstallPaths::of_this_program().bin.parent_path() / "lib/geak/hip_on_cuda";
  settings.with_records = !options.no_records;
  for (const auto& text : options.runs) add_run(text, settings);
  for (const auto& file : options.results) settings.results.emplace_back(file);
  for (const auto& text : options.extend)
    settings.extend.push_back(cache::EvidenceType::parse(text));
  settings.stop = [] { return support::interrupted(); };
  settings.progress = [](const std::string& line) { std::cerr << "geak: " << line << std::endl; };
  const auto made = optimizer::make_bundle(settings);
  for (const auto& problem : made.problems)
    std::cerr << "geak bundle: warning: " << problem << "\n";
  if (support::interrupted()) throw UsageError("interrupted; no bundle was written", 130);
  worker::write_bundle(made.bundle, options.output);
  std::size_t candidates = 0;
  for (const auto& kernel : made.bundle.kernels) candidates += kernel.candidates.size();
  std::cout << options.output << ": " << candidates << " candidates of "
            << made.bundle.kernels.size()
            << (made.bundle.kernels.size() == 1 ? " kernel, " : " kernels, ")
            << std::filesystem::file_size(options.output) / 1024 << " KiB\n";
}

}  // namespace

void add_bundle(CLI::App& app) {
  auto* command = app.add_subcommand(
      "bundle", "Pack kernels, candidates and records for geak-worker on another machine");
  auto options = std::make_shared<Options>();
  command->add_option("-p,--build", options->build, "Build folder (default: here)");
  command->add_option("-o,--output", options->output, "The bundle to write")->required();
  command->add_option("--target", options->bundle.target,
                      "Only CMake targets that match this glob");
  command->add_option("--kernel", options->bundle.kernel, "Only kernels that match this glob");
  command->add_option("--candidates", options->bundle.most_candidates,
                      "At most so many of each kernel (default 60)");
  command->add_option("--run", options->runs,
                      "[TARGET:]SIZE=ARGUMENTS: run the workload's program so there and record it; "
                      "may be given several times (default: the workload's own arguments)");
  command->add_flag("--no-records", options->no_records,
                    "Record nothing here and take no memory contents along");
  command
      ->add_option("--seen", options->results,
                   "An earlier RESULT.json: candidates are chosen for the launches in it too")
      ->check(CLI::ExistingFile);
  command->add_option("--extend", options->extend,
                      "Take the best of this evidence one step further, for instance "
                      "\"measured(NVIDIA H200)\"");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

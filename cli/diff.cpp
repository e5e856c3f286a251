// geak diff: what a build compiles instead of the original, as a unified diff.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "clang-tool/swap.h"
#include "cli/kernel_choice.h"
#include "cli/subcommand.h"
#include "support/child_process.h"
#include "support/json_text.h"
#include "support/scratch_folder.h"

namespace geak::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string build = ".";
  std::string kernel;
  bool json = false;
};

std::string unified_diff(const clang_tool::RewrittenFile& file, const std::string& variant) {
  const support::ScratchFolder folder("geak-diff");
  const fs::path generated = folder.path() / "generated";
  std::ofstream(generated) << file.text;
  support::ChildOptions child;
  child.command = {"diff",    "-u",
                   "--label", file.path,
                   "--label", file.path + " (" + variant + ")",
                   file.path, generated.string()};
  const auto result = support::run_child(child);
  if (result.exit_code > 1) throw std::runtime_error("diff failed: " + result.err);
  return result.out;
}

nlohmann::json diff_of(const ChosenKernel& choice, const cache::Cache& cache) {
  const auto& kernel = choice.kernel;
  nlohmann::json document = {{"kernel", kernel.marked.full_name()},
                             {"file", kernel.name.source},
                             {"variant", nullptr},
                             {"diff", ""}};
  const auto best = optimizer::select_for_build(cache, kernel);
  if (!best) return document;
  clang_tool::Variant variant;
  variant.name = best->variant.name;
  variant.text = best->variant.text;
  variant.launch = nlohmann::json::parse(best->variant.launch);
  variant.guard = best->variant.guard;
  const auto host =
      clang_tool::TranslationUnit::parse(kernel.marked.command, clang_tool::Pass::host);
  const auto rewriting = clang_tool::rewrite(
      host, {{kernel.marked.kernel.name, kernel.marked.instantiation.symbol, variant}});
  std::string text;
  for (const auto& file : rewriting.files) text += unified_diff(file, variant.name);
  for (const auto& refusal : rewriting.refusals)
    std::cerr << "geak diff: warning: " << refusal.place.file << ":" << refusal.place.begin_line
              << ": " << refusal.reason << "\n";
  document["variant"] = variant.name;
  document["ratio"] = best->evidence.gain;
  document["evidence"] = best->evidence.type.text();
  document["diff"] = text;
  return document;
}

void run(const Options& options) {
  const auto cache = cache::Cache::to_read();
  if (!cache.problem().empty()) std::cerr << "geak diff: warning: " << cache.problem() << "\n";
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& choice : choose_kernels(options.build, options.kernel))
    kernels.push_back(diff_of(choice, cache));
  if (options.json) {
    std::cout << support::json_text(nlohmann::json({{"schema", 1}, {"kernels", kernels}}), 2)
              << "\n";
    return;
  }
  for (const auto& kernel : kernels) {
    if (kernel["variant"].is_null())
      std::cerr << "geak diff: " << kernel["kernel"].get<std::string>()
                << " has no faster variant in the cache: the original stays\n";
    std::cout << kernel["diff"].get<std::string>();
  }
}

}  // namespace

void add_diff(CLI::App& app) {
  auto* command = app.add_subcommand("diff", "Show what is compiled instead of a kernel");
  auto options = std::make_shared<Options>();
  command->add_option("-p,--build", options->build, "Build folder (default: here)");
  command->add_option("kernel", options->kernel, "Kernel's name, or a glob")->required();
  command->add_flag("--json", options->json, "Print the document that docs/schemas.md describes");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

// geak optimize: searches for faster versions of the marked kernels and fills the cache.
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/subcommand.h"
#include "optimizer/build_run.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "support/verifier_version.h"

namespace geak::cli {
namespace {

using End = optimizer::LoopResult::End;

struct Options {
  optimizer::RunSettings run;
  std::string build = ".";
  bool json = false;
};

// What a kernel's search ended with: one word of docs/schemas.md.
std::string outcome_of(const optimizer::LoopResult& result) {
  switch (result.end) {
    case End::impossible:
      return "failed";
    case End::interrupted:
      return result.best ? "improved" : "interrupted";
    case End::out_of_time:
    case End::finished:
      return result.best ? "improved" : "no_gain";
  }
  return "failed";
}

nlohmann::json to_json(const optimizer::KernelOutcome& kernel) {
  const auto& result = kernel.result;
  nlohmann::json json = {{"target", kernel.target},
                         {"kernel", kernel.kernel.marked.full_name()},
                         {"file", kernel.kernel.name.source},
                         {"line", kernel.kernel.marked.kernel.span.begin_line},
                         {"outcome", outcome_of(result)},
                         {"reason", result.reason},
                         {"from_cache", result.from_cache},
                         {"new_trials", result.new_trials},
                         {"trials", result.reflection.summary()},
                         {"contributions", result.reflection.contributions()}};
  for (const auto& [target, there] : kernel.elsewhere)
    json["elsewhere"].push_back({{"target_id", target},
                                 {"outcome", outcome_of(there)},
                                 {"reason", there.reason},
                                 {"trials", there.reflection.summary()}});
  if (!kernel.unproven.empty()) json["unproven"] = kernel.unproven;
  if (!result.best && result.baseline.accepted()) {
    json["original_ns"] = result.baseline.original_ns;
    json["limiter"] = result.baseline.limiter;
  }
  if (result.best) {
    const auto& [variant, evidence, created] = *result.best;
    json["variant"] = variant.name;
    json["recipe"] = nlohmann::json::parse(variant.recipe);
    json["original_ns"] = evidence.original_ns;
    json["variant_ns"] = evidence.variant_ns;
    json["ratio"] = evidence.gain;
    json["evidence"] = evidence.type.text();
    json["verification"] =
        evidence.verification.text() + support::tolerance_note(kernel.kernel.marked.tolerance);
    json["limiter"] = evidence.limiter;
    for (const auto& share : result.shares) {
      nlohmann::json step = share.step;
      if (share.ratio) step["ratio"] = *share.ratio;
      json["steps"].push_back(std::move(step));
    }
  }
  return json;
}

void print(const optimizer::KernelOutcome& kernel) {
  const auto& result = kernel.result;
  std::cout << kernel.target << ": " << kernel.kernel.marked.full_name() << ": ";
  if (result.best) {
    const auto& [variant, evidence, created] = *result.best;
    char gain[32];
    std::snprintf(gain, sizeof gain, "%.2fx ", evidence.gain);
    std::cout << gain << evidence.type.text() << ", " << evidence.verification.text()
              << support::tolerance_note(kernel.kernel.marked.tolerance) << ": "
              << optimizer::describe(optimizer::recipe_from_text(variant.recipe));
  } else {
    const std::string outcome = outcome_of(result);
    if (result.end == End::out_of_time)
      std::cout << "no gain within the time given; a rerun goes on";
    else
      std::cout << (outcome == "no_gain" ? "no gain: the original stays" : outcome);
    if (!result.reason.empty() && outcome == "failed") std::cout << ": " << result.reason;
    if (!kernel.unproven.empty()) std::cout << ": " << kernel.unproven;
  }
  if (result.from_cache)
    std::cout << " (from the cache)";
  else
    std::cout << " (" << result.reflection.summary() << ")";
  std::cout << "\n";
  for (const auto& [target, there] : kernel.elsewhere) {
    std::cout << "    tried on " << target << " too: " << there.reflection.summary();
    if (there.end == End::impossible) std::cout << ": " << there.reason;
    std::cout << "\n";
  }
  for (const auto& [step, ratio] : result.reflection.contributions())
    if (ratio > 1.01) std::printf("    %s: %.2fx\n", step.c_str(), ratio);
}

int exit_code_of(const optimizer::RunOutcome& outcome) {
  if (outcome.interrupted) return 130;
  for (const auto& kernel : outcome.kernels)
    if (kernel.result.end != End::impossible) return 0;
  // Nothing could be tried although something was marked.
  return outcome.kernels.empty() && outcome.problems.empty() ? 0 : 1;
}

void run(Options& options) {
  support::install_interrupt_handlers();
  options.run.build = std::filesystem::absolute(options.build).lexically_normal();
  options.run.stop = [] { return support::interrupted(); };
  options.run.progress = [](const std::string& line) {
    std::cerr << "geak: " << line << std::endl;
  };
  const auto outcome = optimizer::optimize_build(options.run);
  if (options.json) {
    nlohmann::json kernels = nlohmann::json::array();
    for (const auto& kernel : outcome.kernels) kernels.push_back(to_json(kernel));
    std::cout << support::json_text(nlohmann::json({{"schema", 1},
                                                    {"interrupted", outcome.interrupted},
                                                    {"kernels", std::move(kernels)},
                                                    {"problems", outcome.problems}}),
                                    2)
              << std::endl;
  } else {
    for (const auto& kernel : outcome.kernels) print(kernel);
    std::cout.flush();
    std::fflush(stdout);
  }
  for (const auto& problem : outcome.problems)
    std::cerr << "geak optimize: warning: " << problem << "\n";
  if (outcome.interrupted)
    std::cerr << "geak optimize: stopped; what was verified is kept, the next run goes on\n";
  if (const int code = exit_code_of(outcome)) throw CLI::RuntimeError(code);
}

}  // namespace

void add_optimize(CLI::App& app) {
  auto* command =
      app.add_subcommand("optimize", "Search for faster versions of the marked kernels");
  auto options = std::make_shared<Options>();
  command->add_option("-p,--build", options->build, "Build folder (default: here)");
  command->add_option("--target", options->run.target, "Only this CMake target");
  command
      ->add_option("--budget", options->run.seconds_a_kernel,
                   "Seconds for each kernel (default 60); a rerun goes on where it stopped")
      ->envname("GEAK_BUDGET")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--seed", options->run.seed, "Seed of the search (default 1)");
  command->add_flag("--again", options->run.again, "Search on although a search had ended");
  command->add_flag("--json", options->json, "Print the document that docs/schemas.md describes");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

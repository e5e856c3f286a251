// geak status: what is marked, what was found, by how much, and how it was verified.
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/subcommand.h"
#include "optimizer/recipe.h"
#include "optimizer/report.h"
#include "support/json_text.h"
#include "support/verifier_version.h"

namespace geak::cli {
namespace {

struct Options {
  std::string build = ".";
  std::string target;
  bool json = false;
};

std::string in_units(double ns) {
  char text[32];
  if (ns < 1e3)
    std::snprintf(text, sizeof text, "%.0f ns", ns);
  else if (ns < 1e6)
    std::snprintf(text, sizeof text, "%.1f us", ns / 1e3);
  else
    std::snprintf(text, sizeof text, "%.2f ms", ns / 1e6);
  return text;
}

void print_kernel(const optimizer::KernelReport& kernel) {
  std::cout << kernel.target << ": " << kernel.kernel << "  " << kernel.file << ":" << kernel.line
            << "\n  " << (kernel.state == "no_gain" ? "no gain, the original stays" : kernel.state);
  if (kernel.best) {
    const auto& [variant, evidence, created] = *kernel.best;
    char gain[32];
    std::snprintf(gain, sizeof gain, " %.2fx ", evidence.gain);
    std::cout << gain << evidence.type.text() << ", " << evidence.verification.text()
              << support::tolerance_note(kernel.tolerance) << " on " << evidence.inputs_tried
              << " inputs: " << in_units(evidence.original_ns) << " -> "
              << in_units(evidence.variant_ns) << "\n  " << variant.name << ": "
              << optimizer::describe(optimizer::recipe_from_text(variant.recipe)) << " ("
              << variant.generator << ")";
  }
  if (!kernel.reason.empty()) std::cout << ": " << kernel.reason;
  std::cout << "\n";
  for (const auto& [variant, evidence, created] : kernel.elsewhere) {
    char gain[32];
    std::snprintf(gain, sizeof gain, "%.2fx ", evidence.gain);
    std::cout << "  apart: " << gain << evidence.type.text() << ", " << evidence.verification.text()
              << " on " << evidence.inputs_tried << " inputs: " << in_units(evidence.original_ns)
              << " -> " << in_units(evidence.variant_ns) << ", "
              << optimizer::describe(optimizer::recipe_from_text(variant.recipe))
              << " (another vendor's GPU: selects nothing here)\n";
  }
}

void run(const Options& options) {
  const auto cache = cache::Cache::to_read();
  const auto report = optimizer::report_build(options.build, cache, options.target);
  if (options.json) {
    std::cout << support::json_text(optimizer::to_document(report), 2) << "\n";
    return;
  }
  for (const auto& kernel : report.kernels) print_kernel(kernel);
  if (report.kernels.empty())
    std::cout << "no kernel of " << options.build << " is marked with geak_optimize()\n";
  for (const auto& problem : report.problems)
    std::cerr << "geak status: warning: " << problem << "\n";
}

}  // namespace

void add_status(CLI::App& app) {
  auto* command = app.add_subcommand("status", "Show what is marked and what was found");
  auto options = std::make_shared<Options>();
  command->add_option("-p,--build", options->build, "Build folder (default: here)");
  command->add_option("--target", options->target, "Only this CMake target");
  command->add_flag("--json", options->json, "Print the document that docs/schemas.md describes");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

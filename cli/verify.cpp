// geak verify: fails where the GPU code that a build ships is not what was verified.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/subcommand.h"
#include "optimizer/verify_build.h"
#include "support/json_text.h"

namespace geak::cli {
namespace {

struct Options {
  optimizer::VerifyRequest request;
  std::string build = ".";
  std::vector<std::string> files;
  bool json = false;
};

void print(const optimizer::BuildVerification& verification) {
  for (const auto& kernel : verification.kernels) {
    std::cout << kernel.target << ": " << kernel.variant << " (" << kernel.architecture
              << "): " << kernel.reason << "\n";
    if (!kernel.verified) {
      std::cerr << "geak verify: error: " << kernel.file << ": " << kernel.kernel << ": "
                << kernel.reason << "; build again, or run geak optimize\n";
    }
  }
  for (const auto& note : verification.notes) std::cout << "note: " << note << "\n";
  for (const auto& problem : verification.problems) {
    std::cerr << "geak verify: error: " << problem << "\n";
  }
  if (verification.kernels.empty() && verification.problems.empty()) {
    std::cout << "no variant is in it: the original kernels are built\n";
  }
}

void run(Options& options) {
  options.request.build = std::filesystem::absolute(options.build).lexically_normal();
  options.request.files.assign(options.files.begin(), options.files.end());
  const auto verification = optimizer::verify_build(options.request, cache::Cache::to_read());
  if (options.json) {
    std::cout << support::json_text(optimizer::to_document(verification), 2) << "\n";
  } else {
    print(verification);
  }
  if (!verification.holds()) throw CLI::RuntimeError(1);
}

}  // namespace

void add_verify(CLI::App& app) {
  auto* command = app.add_subcommand(
      "verify", "Fail where a build's GPU code is not what was verified (exit code 1)");
  auto options = std::make_shared<Options>();
  command->add_option("-p,--build", options->build, "Build folder (default: here)");
  command->add_option("--target", options->request.target, "Only this CMake target");
  command->add_option("--file", options->files,
                      "Look into this program, library or object in place of the target's objects; "
                      "repeatable");
  command->add_flag("--json", options->json, "Print the document that docs/schemas.md describes");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli

// Whether the variants in a build's files are those that were verified.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cache/cache.h"

namespace geak::optimizer {

struct VerifiedKernel {
  std::string target, file;     // where it was found
  std::string kernel, variant;  // device symbol, the variant's name
  std::string architecture;
  bool verified = false;
  std::string reason;  // the verification's type, or what is wrong
};

struct BuildVerification {
  std::vector<VerifiedKernel> kernels;
  // Files that are missing or can't be read, sources whose chosen variant was not compiled in.
  std::vector<std::string> problems;
  // Kernels of which the build has the original although a variant is chosen: safe, and said.
  std::vector<std::string> notes;

  bool holds() const;
};

struct VerifyRequest {
  std::filesystem::path build;
  std::string target;  // empty: all that call geak_optimize()
  // What to look at in place of the objects that the build's commands make.
  std::vector<std::filesystem::path> files;
};

// Throws std::runtime_error where the build folder or a manifest can't be read, or has no `target`.
BuildVerification verify_build(const VerifyRequest& request, const cache::Cache& cache);

// The document of docs/schemas.md, "geak verify --json".
nlohmann::json to_document(const BuildVerification& verification);

}  // namespace geak::optimizer

// What is known of every marked kernel of a build: the ground of `geak status`.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "optimizer/keyed_kernel.h"
#include "optimizer/tried.h"

namespace geak::optimizer {

struct KernelReport {
  std::string target, kernel, file;
  unsigned line = 0;
  // "marked": nothing tried yet; "stale": tried, but something that its key covers has changed
  // since; "running": a search is going on; "optimized": a verified variant waits for the next
  // build; "swapped": the build has it; "no_gain": a search was done, or its time ended, and the
  // original stays; "interrupted": a search was stopped before it found a gain; "failed": `reason`
  // says what stands in the way.
  std::string state;
  std::string reason;               // one line; for "no_gain" and "interrupted" what was tried
  std::string key;                  // digest
  std::optional<double> tolerance;  // of geak_optimize()
  std::optional<cache::VerifiedVariant> best;
  // The fastest on hardware whose times do not count for this build, one for each device.
  std::vector<cache::VerifiedVariant> elsewhere;
  std::optional<cache::Search> search;
  Tried tried;
};

struct BuildReport {
  std::vector<KernelReport> kernels;
  std::vector<std::string> problems;  // one line each: sources not parsed, globs without a kernel
};

// Reads sources, manifests and cache; changes nothing. `target`: only this one; empty: all.
// Throws std::runtime_error when the build folder or a manifest can't be read, or has no `target`.
BuildReport report_build(const std::filesystem::path& build, const cache::Cache& cache,
                         const std::string& target);

// The document of docs/schemas.md, "geak status --json".
nlohmann::json to_document(const BuildReport& report);

}  // namespace geak::optimizer

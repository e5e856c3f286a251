// Everything `geak optimize` does for a build folder, short of printing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cache/cache.h"
#include "optimizer/keyed_kernel.h"
#include "optimizer/loop.h"
#include "optimizer/workload.h"

namespace geak::optimizer {

struct RunSettings {
  std::filesystem::path build;
  std::string target;  // empty: all marked targets
  double seconds_a_kernel = 60;
  std::uint64_t seed = 1;
  bool again = false;
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string& line)> progress = [](const std::string&) {};
};

struct KernelOutcome {
  std::string target;
  KeyedKernel kernel;
  LoopResult result;  // of the search, on the first target; `best` is what the build gets
  // Trials of what was found on the other targets, in their order, with their target ids.
  std::vector<std::pair<std::string, LoopResult>> elsewhere;
  std::string unproven;  // why what the search found is not selected; empty where there is no such
};

struct RunOutcome {
  std::vector<KernelOutcome> kernels;
  std::vector<std::string> problems;  // one line each; what could be done was done
  bool interrupted = false;
};

// Records each target's workload and searches for each of its kernels. Throws std::runtime_error
// when the build can't be read, CacheError when the cache can't be written. Whatever was verified
// before an interrupt is in the cache. Touches each manifest's cache stamp when the cache has a
// variant for it or lost one.
RunOutcome optimize_build(const RunSettings& settings);

}  // namespace geak::optimizer

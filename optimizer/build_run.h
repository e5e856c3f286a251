// Everything `geak optimize` does for a build folder, short of printing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
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
  LoopResult result;
};

struct RunOutcome {
  std::vector<KernelOutcome> kernels;
  std::vector<std::string> problems;  // one line each; what could be done was done
  bool interrupted = false;
};

// Records each target's workload and searches for each of its kernels. Throws std::runtime_error
// when the build can't be read, CacheError when the cache can't be written. Whatever was verified
// before an interrupt is in the cache. Touches each manifest's cache stamp when the cache gained or
// lost a variant for it.
RunOutcome optimize_build(const RunSettings& settings);

}  // namespace geak::optimizer

// Which variants one source of a target gets, and the files that swap them in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "clang-tool/compile_command.h"
#include "support/manifest.h"

namespace geak::cli {

struct SwapRequest {
  const support::Manifest& manifest;
  const cache::Cache& cache;
  clang_tool::CompileCommand command;
  std::filesystem::path folder;  // for generated files
};

struct SwappedKernel {
  std::string kernel;   // "detail::scan<int, 4>"
  std::string variant;  // "scan__geak_12ab34cd"
  std::string proof;    // "1.52x modelled(gfx90a), verified(emulated gfx90a)"
};

struct SwappedSource {
  std::string selection;  // content of the selection file
  std::vector<SwappedKernel> kernels;
  std::vector<std::string> warnings;
  std::vector<std::string> files_read;  // sources and headers that the answer depends on
  std::vector<std::string> seen;        // instantiated names of all marked kernels
};

// The selection file that says: compile the original.
std::string original_selection();

// Throws std::exception where the source cannot be looked into; it then gets the original.
SwappedSource swap_source(const SwapRequest& request);

}  // namespace geak::cli

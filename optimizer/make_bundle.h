// Everything `geak bundle` does, short of printing.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cache/types.h"
#include "worker/bundle.h"

namespace geak::optimizer {

struct BundleSettings {
  std::filesystem::path build;
  std::string target;            // empty: all marked targets
  std::string kernel;            // a glob over full names; empty: all
  std::filesystem::path header;  // HIP's header for nvcc: the folder that holds hip/
  std::string geak;              // version
  std::size_t most_candidates = 40;
  // Ways to run the workload's program there. Empty: the manifest's own arguments, size "workload".
  std::vector<worker::Workload::Run> runs;
  bool with_records = true;  // take along what was recorded here, as size "recorded"
  // Results of earlier runs of a worker: the launches that it recorded are used to choose
  // candidates.
  std::vector<std::filesystem::path> results;
  std::vector<cache::EvidenceType> extend;
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string& line)> progress = [](const std::string&) {};
};

struct BundleOutcome {
  worker::Bundle bundle;
  std::vector<std::string> problems;
};

// Throws std::runtime_error where the build can't be read or nothing is to be bundled.
BundleOutcome make_bundle(const BundleSettings& settings);

}  // namespace geak::optimizer

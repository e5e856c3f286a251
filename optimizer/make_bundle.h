// Everything `geak bundle` does, short of printing.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cache/types.h"
#include "worker/bundle.h"

namespace geak::optimizer {

struct BundleSettings {
  std::filesystem::path build;
  std::string target;            // a glob; empty: all marked targets
  std::string kernel;            // a glob over full names; empty: all
  std::filesystem::path header;  // HIP's header for nvcc: the folder that holds hip/
  std::string geak;              // version
  std::size_t most_candidates = 60;
  // Ways to run the workloads' programs there, by target; those of "" serve every target without
  // its own. None: the manifest's own arguments, size "workload".
  std::map<std::string, std::vector<worker::Workload::Run>> runs;
  // Record the workload here and take that along, as size "recorded". Else an earlier record serves
  // to choose candidates, if there is one.
  bool with_records = true;
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

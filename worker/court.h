// One kernel on one set of records: all candidates timed, then verified, the fastest first. It runs
// in a process of its own, which a faulting kernel takes down with it; the worker starts another
// for the rest.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/launch_change.h"

namespace geak::worker {

struct CourtCandidate {
  std::string digest, name;
  std::filesystem::path cubin;
  support::LaunchChange launch;
};

struct CourtJob {
  std::filesystem::path archive;
  std::string symbol;  // of the original, where the unit was bundled: nvcc's own is found from it
  std::filesystem::path original;  // cubin
  std::optional<double> tolerance;
  std::vector<std::string> argument_types;
  std::vector<std::uint64_t> seeds = {1, 2, 3};
  unsigned max_records = 3;
  // The original faults on other inputs than the recorded ones, which ends a CUDA context.
  bool recorded_inputs_only = false;
  bool verify_all = true;  // false: until one that is faster is accepted
  double seconds = 60;     // after the original is established; what is not reached is "not tried"
  std::vector<CourtCandidate> candidates;
  // Results of an earlier process of the same job, by digest.
  nlohmann::json earlier = nlohmann::json::object();
};

nlohmann::json to_json(const CourtJob& job);
CourtJob court_job_from_json(const nlohmann::json& json);

// Calls `tell` with one JSON object for each step: {"original": {...}}, {"begins": digest},
// {"result": {"digest", "outcome", ...}}. A result may come twice: timed, then verified. Throws
// where nothing can be tried (no launch of the kernel, no device).
void hold_court(const CourtJob& job, const std::function<void(const nlohmann::json&)>& tell);

}  // namespace geak::worker

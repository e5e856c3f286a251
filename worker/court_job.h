// What a court is to do, as the worker hands it to the process that does it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/launch_change.h"

namespace geak::worker {

struct CourtCandidate {
  std::string digest, name;
  std::filesystem::path code;
  support::LaunchChange launch;
  nlohmann::json recipe = nlohmann::json::array();
};

struct CourtJob {
  std::filesystem::path archive;
  std::string
      symbol;  // of the original, where the unit was bundled: this compiler's is found by it
  std::filesystem::path original;  // its code
  std::optional<double> tolerance;
  std::vector<std::string> argument_types;
  std::vector<std::uint64_t> seeds = {1, 2, 3};
  unsigned max_records = 3;
  // The original faults on other inputs than the recorded ones, which ends a CUDA context.
  bool recorded_inputs_only = false;
  enum class Verify { nothing, fastest, all };
  Verify verify = Verify::all;  // fastest: until one that is faster is accepted
  double seconds = 60;          // after the original is established; what is not reached is left
  std::vector<CourtCandidate> candidates;
  // Results of an earlier process of the same job, by digest.
  nlohmann::json earlier = nlohmann::json::object();
};

nlohmann::json to_json(const CourtJob& job);
CourtJob court_job_from_json(const nlohmann::json& json);

}  // namespace geak::worker

// Several candidates at a glance: which of them are worth a trial (trial.h). Nothing is verified.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "replay/trial.h"

namespace geak::replay {

struct LookCandidate {
  std::filesystem::path code_object;  // several may share one
  std::string kernel;                 // device symbol in it
  support::LaunchChange launch_change;
};

struct FirstLookSpec {
  // `rounds` counts on a real device, `max_records` holds; its candidate, seeds and least gain do
  // not count.
  TrialSpec trial;
  std::vector<LookCandidate> candidates;
  // On the emulated GPU, of launches of more workgroups than these, about as many stand for all:
  // what is large is timed in little time, and nothing of what it leaves is compared. 0: all run.
  std::uint64_t sample = 0;
};

struct FirstLook {
  bool fits = false;  // nothing speaks against it so far; else `reason` and `attack`
  bool ran = true;    // false: the look itself could not be held
  std::string reason, attack;
  double original_ns = 0, candidate_ns = 0, gain = 0, noise = 0;  // as in TrialResult
};

// Names of the JSON are those of the fields.
nlohmann::json to_json(const FirstLookSpec& spec);
FirstLookSpec first_look_spec_from_json(const nlohmann::json& json);
nlohmann::json to_json(const FirstLook& look);
FirstLook first_look_from_json(const nlohmann::json& json);

// Launches the original once and each candidate once on every recorded input (more often on a real
// device, whose times scatter), and compares what they leave; floating-point results may be off by
// the most that any trial allows. One process for all: what ends it counts against the candidate
// that ran, and the others go on. As many results as candidates. `limits.time` is for each process.
// Throws as run_trial does.
std::vector<FirstLook> look_at(
    const FirstLookSpec& spec, const TrialLimits& limits,
    const std::vector<std::pair<std::string, std::optional<std::string>>>& environment);

}  // namespace geak::replay

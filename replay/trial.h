// The judge of candidates, as the optimizer and `geak trial` call it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/launch_change.h"

namespace geak::replay {

// How much a floating-point output may differ: `relative` to the largest magnitude in its buffer.
// Neither: what the original's own rounding error allows (docs/judgement.md); exact for anything
// else.
struct Tolerance {
  std::optional<double> relative, absolute;
};

struct TrialSpec {
  std::filesystem::path archive;
  std::string kernel;  // the original's device symbol, e.g. "_Z4blurPKfPfi"
  // The original's code object; empty: the archive's own, as the program registered it.
  std::filesystem::path original_code_object;
  // Empty: a baseline, which replays the original alone and times it.
  std::filesystem::path candidate_code_object;
  std::string candidate;  // device symbol in candidate_code_object
  // XXH3-128 of its ELF (hexadecimal), if the caller knows what it compiled: another is refused.
  std::string candidate_digest;
  support::LaunchChange launch_change;
  Tolerance tolerance;
  // Source types of the parameters in order ("const float *", "unsigned int"), if known: they say
  // how the elements of a buffer are compared and changed. Unknown ones are guessed from the data.
  std::vector<std::string> argument_types;
  std::vector<std::uint64_t> seeds = {1, 2, 3};  // one fresh input each, for each record
  unsigned rounds = 5;                           // interleaved timings of each
  double min_gain = 0;                           // accepted only from here; 0: verified is enough
  unsigned max_records = 0;  // launches tried, spread over the recorded ones; 0: all
  // Of the kernel's recorded launches, in the archive's order, those to be tried; empty: as
  // max_records says.
  std::vector<std::size_t> records;
  // Whether other sizes, values and alignments than the recorded ones are tried as well.
  bool other_launches = true;
  // Allocations end where buffers end, with no zones of our own behind them: for a device that
  // watches each access itself.
  bool exact_memory = false;
  // With exact memory: the original runs once on each other input, which leaves open whether it has
  // a result of its own there. Enough to see that there is nothing to be seen.
  bool quick_watch = false;
};

struct TrialLimits {
  std::chrono::milliseconds time{120'000};
  std::uint64_t memory_bytes = 0;  // address space; 0: the caller's own limit
  std::uint64_t file_bytes = 64u << 20;
};

struct TrialResult {
  bool accepted = false;
  bool ran = true;  // false: the trial itself could not be held (no record, no device, crash)
  bool took_too_long = false;  // it was ended at TrialLimits::time
  std::string reason;          // one line; says why not, or what was shown
  std::string attack;          // "15: no-op output", if the failure is that of a known attack
  double original_ns = 0;      // sums over the records tried, each times how often it was launched
  double candidate_ns = 0;
  double gain = 0;   // original_ns / candidate_ns
  double noise = 0;  // relative spread of the timings in this run
  unsigned inputs_tried = 0;
  // Recorded launches that the candidate took and was tried on, counted among the kernel's in the
  // archive's order.
  std::vector<std::size_t> launches_tried;
  // How far floating-point outputs were allowed to be off, and who says so; empty: all exact.
  std::string allowance;
  std::string evidence;      // "emulated gfx90a" or the device's name
  std::string architecture;  // "gfx90a"
  // {"original": {...}, "candidate": {...}} of the emulator for the recorded inputs; empty object
  // on a real device.
  nlohmann::json counters = nlohmann::json::object();
  // Further remarks: records refused and why, checks left out and why.
  std::vector<std::string> notes;
};

// The JSON of docs/ARCHITECTURE.md, "Trial". Reading a spec throws std::runtime_error that names
// the field.
nlohmann::json to_json(const TrialSpec& spec);
TrialSpec trial_spec_from_json(const nlohmann::json& json);
nlohmann::json to_json(const TrialResult& result);
TrialResult trial_result_from_json(const nlohmann::json& json);

// Runs geak-replay on the spec under limits. `environment`: changes to the child's (where the HSA
// library is looked for: support::emulator_environment, or nothing for the machine's own GPU). A
// crash, a timeout or a fault while the candidate runs is a rejection with that reason; `ran` is
// false where the original alone could not be replayed. Throws std::system_error when geak-replay
// can't be started.
TrialResult run_trial(
    const TrialSpec& spec, const TrialLimits& limits,
    const std::vector<std::pair<std::string, std::optional<std::string>>>& environment);

}  // namespace geak::replay

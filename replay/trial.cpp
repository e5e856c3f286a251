#include "replay/trial.h"

#include <stdlib.h>
#include <unistd.h>

#include <stdexcept>
#include <system_error>

#include "replay/replayer_process.h"
#include "support/json_text.h"

namespace geak::replay {
namespace {

namespace fs = std::filesystem;

// geak-replay says on stderr what it is about to run; the last such line is where it ended.
std::string last_phase(const std::string& text) {
  constexpr const char* kMark = "geak-replay: phase: ";
  const auto at = text.rfind(kMark);
  if (at == std::string::npos) return "starting";
  const auto begin = at + std::string(kMark).size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string last_error(const std::string& text) {
  const auto at = text.rfind("error: ");
  return at == std::string::npos ? "" : ": " + text.substr(at + 7, text.find('\n', at) - at - 7);
}

// The child ended without a result.
TrialResult result_of_failure(const support::ChildResult& child, const TrialLimits& limits) {
  TrialResult result;
  const auto phase = last_phase(child.err);
  result.ran = phase.find("candidate") != std::string::npos;
  if (child.interrupted) {
    result.ran = false;
    result.reason = "interrupted";
  } else if (child.timed_out) {
    result.took_too_long = true;
    result.reason = "the trial took longer than " + std::to_string(limits.time.count() / 1000) +
                    " s (" + phase + ")";
  } else if (child.signal) {
    result.reason = "the trial was ended by signal " + std::to_string(child.signal) + " (" + phase +
                    ")" + last_error(child.err);
  } else {
    result.reason = "the trial ended with exit code " + std::to_string(child.exit_code) + " (" +
                    phase + ")" + last_error(child.err);
  }
  return result;
}

}  // namespace

TrialResult run_trial(
    const TrialSpec& spec, const TrialLimits& limits,
    const std::vector<std::pair<std::string, std::optional<std::string>>>& environment) {
  const auto ended = run_replayer({}, support::json_text(to_json(spec), 2), limits, environment);
  if (ended.succeeded()) {
    try {
      return trial_result_from_json(nlohmann::json::parse(ended.out));
    } catch (const std::exception&) {
      // Falls through: no result is a failure.
    }
  }
  return result_of_failure(ended, limits);
}

}  // namespace geak::replay

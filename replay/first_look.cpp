#include "replay/first_look.h"

#include <sstream>

#include "replay/replayer_process.h"
#include "support/json_text.h"

namespace geak::replay {
namespace {

// What ended the process, in one line: its last phase, or what it complained of.
std::string ending_of(const support::ChildResult& child) {
  if (child.interrupted) return "interrupted";
  std::string text = child.timed_out ? "it took too long"
                                     : "it ended with exit code " + std::to_string(child.exit_code);
  for (const char* mark : {"error: ", "phase: "}) {
    const auto at = child.err.rfind(mark);
    if (at == std::string::npos) continue;
    return text + " (" + child.err.substr(at, child.err.find('\n', at) - at) + ")";
  }
  return text;
}

bool was_with_a_candidate(const support::ChildResult& child) {
  const auto at = child.err.rfind("phase: ");
  return at != std::string::npos &&
         child.err.substr(at, child.err.find('\n', at) - at).find("candidate") != std::string::npos;
}

FirstLook lost(bool ran, std::string reason) {
  FirstLook look;
  look.ran = ran;
  look.reason = std::move(reason);
  return look;
}

}  // namespace

std::vector<FirstLook> look_at(
    const FirstLookSpec& spec, const TrialLimits& limits,
    const std::vector<std::pair<std::string, std::optional<std::string>>>& environment) {
  std::vector<FirstLook> looks;
  while (looks.size() < spec.candidates.size()) {
    FirstLookSpec rest{spec.trial,
                       {spec.candidates.begin() + static_cast<std::ptrdiff_t>(looks.size()),
                        spec.candidates.end()},
                       spec.sample};
    const auto ended =
        run_replayer({"--look"}, support::json_text(to_json(rest)), limits, environment);
    const auto known = looks.size();
    std::istringstream lines(ended.out);
    for (std::string line; looks.size() < spec.candidates.size() && std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (json.is_object()) looks.push_back(first_look_from_json(json));
    }
    if (looks.size() == spec.candidates.size()) break;
    if (ended.succeeded() && looks.size() > known) continue;  // one faulted: the rest anew
    if (!was_with_a_candidate(ended) || ended.interrupted) {
      // The original, or the process itself: the rest cannot be looked at either.
      looks.resize(spec.candidates.size(), lost(false, ending_of(ended)));
      break;
    }
    looks.push_back(lost(true, "the candidate fails: " + ending_of(ended)));
  }
  return looks;
}

}  // namespace geak::replay

#include "replay/checked_trial.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>

#include "support/scratch_folder.h"

namespace geak::replay {
namespace {

constexpr const char* kChecks = "memcheck,initcheck,racecheck,synccheck";

// Tool, kind and space of a finding, with its sentence.
using Findings = std::map<std::tuple<std::string, std::string, std::string>, std::string>;

std::string text_in(const nlohmann::json& value, const char* name) {
  const auto found = value.find(name);
  return found != value.end() && found->is_string() ? found->get<std::string>() : "";
}

Findings findings_of(const nlohmann::json& document, const std::string& symbol) {
  Findings findings;
  for (const auto& finding : document.value("findings", nlohmann::json::array())) {
    if (text_in(finding, "symbol") != symbol) continue;
    findings.try_emplace(
        {text_in(finding, "tool"), text_in(finding, "kind"), text_in(finding, "space")},
        text_in(finding, "message"));
  }
  return findings;
}

std::string attack_of(const std::string& tool) {
  if (tool == "memcheck") return "24: touches memory that it was not given";
  if (tool == "initcheck") return "13: uses memory that nobody wrote";
  return "21: races and nondeterminism";
}

// What the emulator writes of one trial; null where it wrote nothing readable.
nlohmann::json watch(const TrialSpec& spec, const TrialLimits& limits, Environment environment,
                     std::string& trouble) {
  const support::ScratchFolder scratch("geak-check");
  const auto file = scratch.path() / "findings.json";
  environment.emplace_back("GEAK_EMU_CHECK", kChecks);
  environment.emplace_back("GEAK_EMU_CHECK_OUT", file.string());
  const auto result = run_trial(spec, limits, environment);
  if (!result.ran) trouble = result.reason;
  std::ifstream stream(file);
  auto document = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    if (trouble.empty()) trouble = "the emulator wrote no findings";
    return nullptr;
  }
  return document;
}

}  // namespace

TrialResult check_on_emulator(const TrialSpec& spec, const TrialLimits& limits,
                              const Environment& environment, TrialResult accepted) {
  if (!accepted.accepted || spec.candidate.empty()) return accepted;
  auto watched = spec;
  watched.max_records = 1;
  watched.rounds = 1;
  watched.seeds.resize(std::min<std::size_t>(spec.seeds.size(), 1));
  watched.min_gain = 0;
  watched.exact_memory = true;
  std::string trouble;
  const auto document = watch(watched, limits, environment, trouble);
  auto original = findings_of(document, spec.kernel);
  if (spec.candidate == spec.kernel) {
    // Both have one name: the original is watched alone.
    watched.candidate.clear();
    watched.candidate_code_object.clear();
    original = findings_of(watch(watched, limits, environment, trouble), spec.kernel);
  }
  if (!trouble.empty()) {
    accepted.notes.push_back("the emulator's checks could not be held: " + trouble);
  }
  for (const auto& [key, message] : original) {
    accepted.notes.push_back("the original itself: " + std::get<0>(key) + ": " + message);
  }
  for (const auto& [key, message] : findings_of(document, spec.candidate)) {
    if (original.contains(key)) continue;
    accepted.accepted = false;
    accepted.attack = attack_of(std::get<0>(key));
    accepted.reason = std::get<0>(key) + ": " + message;
    break;
  }
  return accepted;
}

}  // namespace geak::replay

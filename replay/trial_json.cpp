// The JSON of specifications and results.
#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include "replay/first_look.h"
#include "replay/trial.h"

namespace geak::replay {
namespace {

using nlohmann::json;

template <typename T>
T field(const json& value, const char* name, T otherwise) {
  const auto found = value.find(name);
  if (found == value.end() || found->is_null()) return otherwise;
  try {
    return found->template get<T>();
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("trial specification: field \"") + name +
                             "\": " + error.what());
  }
}

std::string required(const json& value, const char* name) {
  auto text = field<std::string>(value, name, "");
  if (text.empty()) {
    throw std::runtime_error(std::string("trial specification: field \"") + name + "\" is missing");
  }
  return text;
}

// A misspelt field must not be read as one that is left out.
void check_names(const json& value, std::initializer_list<const char*> names, const char* where) {
  for (const auto& [name, ignored] : value.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw std::runtime_error("trial specification: unknown field \"" + name + "\" in " + where);
    }
  }
}

// A number means relative; an object names either.
Tolerance tolerance_from(const json& value) {
  Tolerance tolerance;
  if (value.is_number()) {
    tolerance.relative = value.get<double>();
  } else if (value.is_object()) {
    if (value.contains("relative")) tolerance.relative = value["relative"].get<double>();
    if (value.contains("absolute")) tolerance.absolute = value["absolute"].get<double>();
  } else if (!value.is_null()) {
    throw std::runtime_error("trial specification: field \"tolerance\" is no number or object");
  }
  return tolerance;
}

json tolerance_json(const Tolerance& tolerance) {
  json value = json::object();
  if (tolerance.relative) value["relative"] = *tolerance.relative;
  if (tolerance.absolute) value["absolute"] = *tolerance.absolute;
  return value;
}

}  // namespace

json to_json(const TrialSpec& spec) {
  json change;
  support::to_json(change, spec.launch_change);
  return {{"archive", spec.archive.string()},
          {"kernel", spec.kernel},
          {"original", {{"code_object", spec.original_code_object.string()}}},
          {"candidate",
           {{"code_object", spec.candidate_code_object.string()},
            {"kernel", spec.candidate},
            {"digest", spec.candidate_digest}}},
          {"launch_change", std::move(change)},
          {"tolerance", tolerance_json(spec.tolerance)},
          {"argument_types", spec.argument_types},
          {"seeds", spec.seeds},
          {"rounds", spec.rounds},
          {"min_gain", spec.min_gain},
          {"max_records", spec.max_records},
          {"records", spec.records},
          {"other_launches", spec.other_launches},
          {"exact_memory", spec.exact_memory},
          {"quick_watch", spec.quick_watch}};
}

TrialSpec trial_spec_from_json(const json& value) {
  if (!value.is_object()) throw std::runtime_error("the trial specification is no JSON object");
  check_names(value,
              {"archive", "kernel", "original", "candidate", "launch_change", "tolerance",
               "argument_types", "seeds", "rounds", "min_gain", "max_records", "records",
               "other_launches", "exact_memory", "quick_watch"},
              "it");
  TrialSpec spec;
  spec.archive = required(value, "archive");
  spec.kernel = required(value, "kernel");
  const auto original = field(value, "original", json::object());
  spec.original_code_object = field<std::string>(original, "code_object", "");
  const auto candidate = field(value, "candidate", json::object());
  spec.candidate_code_object = field<std::string>(candidate, "code_object", "");
  spec.candidate = field<std::string>(candidate, "kernel", "");
  spec.candidate_digest = field<std::string>(candidate, "digest", "");
  if (spec.candidate_code_object.empty() != spec.candidate.empty()) {
    throw std::runtime_error(
        "trial specification: \"candidate\" needs both \"code_object\" and \"kernel\"");
  }
  if (value.contains("launch_change") && !value["launch_change"].is_null()) {
    check_names(value["launch_change"], {"x", "y", "z", "lds", "conditions", "passes", "guard"},
                "\"launch_change\"");
    try {
      support::from_json(value["launch_change"], spec.launch_change);
    } catch (const std::exception& error) {
      throw std::runtime_error(std::string("trial specification: field \"launch_change\": ") +
                               error.what());
    }
  }
  if (value.contains("tolerance")) spec.tolerance = tolerance_from(value["tolerance"]);
  spec.argument_types = field(value, "argument_types", spec.argument_types);
  spec.seeds = field(value, "seeds", spec.seeds);
  spec.rounds = field(value, "rounds", spec.rounds);
  spec.min_gain = field(value, "min_gain", spec.min_gain);
  spec.max_records = field(value, "max_records", spec.max_records);
  spec.records = field(value, "records", spec.records);
  spec.other_launches = field(value, "other_launches", spec.other_launches);
  spec.exact_memory = field(value, "exact_memory", spec.exact_memory);
  spec.quick_watch = field(value, "quick_watch", spec.quick_watch);
  return spec;
}

json to_json(const TrialResult& result) {
  return {{"accepted", result.accepted},
          {"ran", result.ran},
          {"reason", result.reason},
          {"attack", result.attack},
          {"original_ns", result.original_ns},
          {"candidate_ns", result.candidate_ns},
          {"gain", result.gain},
          {"noise", result.noise},
          {"inputs_tried", result.inputs_tried},
          {"launches_tried", result.launches_tried},
          {"allowance", result.allowance},
          {"evidence", result.evidence},
          {"architecture", result.architecture},
          {"counters", result.counters},
          {"notes", result.notes}};
}

TrialResult trial_result_from_json(const json& value) {
  if (!value.is_object()) throw std::runtime_error("the trial's result is no JSON object");
  TrialResult result;
  result.accepted = field(value, "accepted", false);
  result.ran = field(value, "ran", true);
  result.reason = field<std::string>(value, "reason", "");
  result.attack = field<std::string>(value, "attack", "");
  result.original_ns = field(value, "original_ns", 0.0);
  result.candidate_ns = field(value, "candidate_ns", 0.0);
  result.gain = field(value, "gain", 0.0);
  result.noise = field(value, "noise", 0.0);
  result.inputs_tried = field(value, "inputs_tried", 0u);
  result.launches_tried = field(value, "launches_tried", std::vector<std::size_t>{});
  result.allowance = field<std::string>(value, "allowance", "");
  result.evidence = field<std::string>(value, "evidence", "");
  result.architecture = field<std::string>(value, "architecture", "");
  result.counters = field(value, "counters", json::object());
  result.notes = field(value, "notes", result.notes);
  return result;
}

json to_json(const FirstLookSpec& spec) {
  json candidates = json::array();
  for (const auto& candidate : spec.candidates) {
    json change;
    support::to_json(change, candidate.launch_change);
    candidates.push_back({{"code_object", candidate.code_object.string()},
                          {"kernel", candidate.kernel},
                          {"launch_change", std::move(change)}});
  }
  return {{"trial", to_json(spec.trial)},
          {"candidates", std::move(candidates)},
          {"sample", spec.sample}};
}

FirstLookSpec first_look_spec_from_json(const json& value) {
  FirstLookSpec spec;
  spec.trial = trial_spec_from_json(value.at("trial"));
  spec.sample = field(value, "sample", spec.sample);
  for (const auto& entry : value.at("candidates")) {
    LookCandidate candidate{required(entry, "code_object"), required(entry, "kernel"), {}};
    support::from_json(entry.at("launch_change"), candidate.launch_change);
    spec.candidates.push_back(std::move(candidate));
  }
  return spec;
}

json to_json(const FirstLook& look) {
  return {{"fits", look.fits},
          {"ran", look.ran},
          {"reason", look.reason},
          {"attack", look.attack},
          {"original_ns", look.original_ns},
          {"candidate_ns", look.candidate_ns},
          {"gain", look.gain},
          {"noise", look.noise}};
}

FirstLook first_look_from_json(const json& value) {
  FirstLook look;
  look.fits = field(value, "fits", false);
  look.ran = field(value, "ran", true);
  look.reason = field<std::string>(value, "reason", "");
  look.attack = field<std::string>(value, "attack", "");
  look.original_ns = field(value, "original_ns", 0.0);
  look.candidate_ns = field(value, "candidate_ns", 0.0);
  look.gain = field(value, "gain", 0.0);
  look.noise = field(value, "noise", 0.0);
  return look;
}

}  // namespace geak::replay

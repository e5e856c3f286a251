#include "optimizer/tried.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "optimizer/recipe.h"
#include "optimizer/reflect.h"

namespace geak::optimizer {
namespace {

// A recipe of another version of geak is counted, only not described.
Recipe readable(const std::string& text) {
  try {
    return recipe_from_text(text);
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace

Tried what_was_tried(const std::vector<cache::Trial>& trials) {
  const std::string accepted = name_of(Assessment::Outcome::accepted);
  Tried tried;
  for (const auto& trial : trials) {
    ++tried.candidates;
    ++tried.outcomes[trial.outcome];
    const Recipe recipe = readable(trial.recipe);
    std::set<std::string> names;
    for (const auto& step : flattened(recipe)) names.insert(step.transform);
    for (const auto& name : names) ++tried.transforms[name];
    if (trial.outcome == accepted && trial.gain > tried.best_ratio) {
      tried.best_ratio = trial.gain;
      tried.best_recipe = describe(recipe);
    }
  }
  return tried;
}

std::string Tried::text() const {
  std::string text =
      std::to_string(candidates) + (candidates == 1 ? " candidate tried" : " candidates tried");
  const char* separator = " (";
  for (const auto& [outcome, count] : outcomes) {
    text +=
        separator + std::to_string(count) + " " + (outcome == "accepted" ? "verified" : outcome);
    separator = ", ";
  }
  if (!outcomes.empty()) text += ")";
  separator = " with ";
  for (const auto& [name, count] : transforms) {
    text += separator + name;
    separator = ", ";
  }
  if (best_ratio > 0) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2fx", best_ratio);
    text += std::string("; the fastest at ") + ratio + ": " + best_recipe;
  }
  return text;
}

nlohmann::json Tried::to_json() const {
  nlohmann::json json = {
      {"candidates", candidates}, {"outcomes", outcomes}, {"transforms", transforms}};
  if (best_ratio > 0) {
    json["best_ratio"] = best_ratio;
    json["best_recipe"] = best_recipe;
  }
  return json;
}

}  // namespace geak::optimizer

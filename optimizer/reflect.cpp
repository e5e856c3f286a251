#include "optimizer/reflect.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace geak::optimizer {

const char* name_of(Assessment::Outcome outcome) {
  switch (outcome) {
    case Assessment::Outcome::accepted:
      return "accepted";
    case Assessment::Outcome::timed:
      return "timed";
    case Assessment::Outcome::rejected:
      return "rejected";
    case Assessment::Outcome::does_not_compile:
      return "does not compile";
    case Assessment::Outcome::refused:
      return "refused";
    case Assessment::Outcome::failed:
      return "failed";
    case Assessment::Outcome::interrupted:
      return "interrupted";
  }
  return "failed";
}

std::vector<CounterChange> counter_changes(const std::string& counters_json) {
  std::vector<CounterChange> changes;
  const auto json = nlohmann::json::parse(counters_json, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("original") || !json.contains("variant")) return changes;
  const auto& variant = json["variant"];
  for (const auto& [name, value] : json["original"].items())
    if (value.is_number() && variant.contains(name) && variant[name].is_number())
      changes.push_back({name, value.get<double>(), variant[name].get<double>()});
  const auto size = [](const CounterChange& change) {
    return std::abs(std::log(std::clamp(change.ratio(), 1e-6, 1e6)));
  };
  std::sort(changes.begin(), changes.end(), [&](const auto& a, const auto& b) {
    return std::pair(-size(a), a.counter) < std::pair(-size(b), b.counter);
  });
  return changes;
}

void Reflection::add(const Recipe& recipe, const Assessment& assessment) {
  ++total_;
  ++outcomes_[name_of(assessment.outcome)];
  if (!assessment.has_gain()) return;
  if (assessment.accepted()) ++accepted_;
  gains_[to_text(recipe)] = assessment.gain;
  recipes_[to_text(recipe)] = recipe;
}

std::map<std::string, double> Reflection::contributions() const {
  std::map<std::string, std::pair<double, int>> sums;
  for (const auto& [text, recipe] : recipes_) {
    for (std::size_t at = 0; at < recipe.size(); ++at) {
      const Recipe base = without(recipe, at);
      const auto found = gains_.find(to_text(base));
      const double gain_without = base.empty() ? 1 : found == gains_.end() ? 0 : found->second;
      if (gain_without <= 0) continue;
      auto& [sum, count] = sums[describe({recipe[at]})];
      sum += std::log(gains_.at(text) / gain_without);
      ++count;
    }
  }
  std::map<std::string, double> means;
  for (const auto& [step, sum] : sums) means[step] = std::exp(sum.first / sum.second);
  return means;
}

std::string Reflection::summary() const {
  std::string text = std::to_string(total_) + (total_ == 1 ? " trial" : " trials");
  const char* separator = ": ";
  for (const auto& [outcome, count] : outcomes_) {
    text += separator + std::to_string(count) + " " + outcome;
    separator = ", ";
  }
  return text;
}

}  // namespace geak::optimizer

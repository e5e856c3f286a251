#include "optimizer/recipe.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "support/json_text.h"

namespace geak::optimizer {

std::string to_text(const clang_tool::RecipeStep& step) {
  return support::json_text(nlohmann::json(step));
}

std::string to_text(const Recipe& recipe) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& step : recipe) json.push_back(step);
  return support::json_text(json);
}

Recipe recipe_from_text(const std::string& text) {
  return nlohmann::json::parse(text).get<Recipe>();
}

std::vector<clang_tool::RecipeStep> flattened(const Recipe& recipe) {
  std::vector<clang_tool::RecipeStep> steps;
  for (const auto& step : recipe) {
    if (step.transform != "sequence") {
      steps.push_back(step);
      continue;
    }
    for (auto& inner : flattened(step.parameters.at("steps").get<Recipe>()))
      steps.push_back(std::move(inner));
  }
  return steps;
}

Recipe without(const Recipe& recipe, std::size_t index) {
  Recipe rest = recipe;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(index));
  return rest;
}

bool is_for_seen_values(const Recipe& recipe) {
  const Recipe steps = flattened(recipe);
  return std::any_of(steps.begin(), steps.end(), [](const auto& step) {
    const auto arguments = step.parameters.find("arguments");
    return step.transform == "specialize" && arguments != step.parameters.end() &&
           !arguments->empty();
  });
}

std::string describe(const Recipe& recipe) {
  if (recipe.empty()) return "original";
  std::string text;
  for (const auto& step : flattened(recipe)) {
    if (!text.empty()) text += " + ";
    text += step.transform;
    if (step.parameters.empty()) continue;
    std::string inside;
    for (const auto& [name, value] : step.parameters.items()) {
      if (!inside.empty()) inside += ", ";
      inside +=
          name + "=" + (value.is_string() ? value.get<std::string>() : support::json_text(value));
    }
    text += "(" + inside + ")";
  }
  return text;
}

}  // namespace geak::optimizer

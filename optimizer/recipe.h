// A recipe is the list of transforms that makes a variant from the original, in order.
#pragma once

#include <string>
#include <vector>

#include "clang-tool/variant.h"

namespace geak::optimizer {

using Recipe = std::vector<clang_tool::RecipeStep>;

// Canonical JSON text: equal recipes, equal texts. The empty recipe is "[]", the original.
std::string to_text(const Recipe& recipe);
// Throws nlohmann::json::exception for what is no recipe.
Recipe recipe_from_text(const std::string& text);
std::string to_text(const clang_tool::RecipeStep& step);

// The steps with those of each `sequence` in its place.
std::vector<clang_tool::RecipeStep> flattened(const Recipe& recipe);

// The recipe less the step at `index`.
Recipe without(const Recipe& recipe, std::size_t index);

// Whether it made argument values that were seen into constants: at others the original runs.
bool is_for_seen_values(const Recipe& recipe);

// For people: "unroll(factor=4) + launch_bounds(threads=256)"; "original" when empty.
std::string describe(const Recipe& recipe);

}  // namespace geak::optimizer

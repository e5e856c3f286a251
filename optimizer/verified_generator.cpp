#include "optimizer/verified_generator.h"

#include <nlohmann/json.hpp>

namespace geak::optimizer {

VerifiedGenerator::VerifiedGenerator(std::vector<cache::VerifiedVariant> found)
    : found_(std::move(found)) {}

std::string VerifiedGenerator::name() const {
  return next_ == 0 ? "rules" : found_[next_ - 1].variant.generator;
}

std::optional<Candidate> VerifiedGenerator::next() {
  if (next_ == found_.size()) return std::nullopt;
  const cache::Variant& stored = found_[next_++].variant;
  clang_tool::Variant variant;
  variant.name = stored.name;
  variant.text = stored.text;
  variant.guard = stored.guard;
  if (!stored.launch.empty()) variant.launch = nlohmann::json::parse(stored.launch);
  variant.recipe = recipe_from_text(stored.recipe);
  return Candidate{variant.recipe, std::move(variant), stored.parent};
}

}  // namespace geak::optimizer

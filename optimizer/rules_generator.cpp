#include "optimizer/rules_generator.h"

namespace geak::optimizer {
namespace {

using clang_tool::RecipeStep;

clang_tool::transforms::Subject subject_of(const MarkedKernel& kernel,
                                           std::vector<clang_tool::transforms::SeenLaunch> seen) {
  return {kernel.command, kernel.target_id, kernel.kernel.name,
          kernel.instantiation.template_arguments, std::move(seen)};
}

std::vector<RecipeStep> steps_of(
    const std::vector<clang_tool::transforms::TransformOption>& options) {
  std::vector<RecipeStep> steps;
  for (const auto& option : options) steps.push_back(option.step);
  return steps;
}

}  // namespace

RulesGenerator::RulesGenerator(const MarkedKernel& kernel,
                               std::vector<clang_tool::transforms::SeenLaunch> seen,
                               SearchSettings settings)
    : session_(subject_of(kernel, std::move(seen))) {
  const auto steps = steps_of(session_.options());
  steps_ = static_cast<int>(steps.size());
  search_ = std::make_unique<Search>(steps, clang_tool::transforms::axes_of_transforms(), settings);
}

// A change can make room for steps that did not apply to the original (a tile that can be padded,
// a loop that can be unrolled): asked for whenever there is a new best.
void RulesGenerator::look_further() {
  if (search_->best().empty() || search_->best() == looked_at_) return;
  looked_at_ = search_->best();
  search_->offer(steps_of(session_.options(looked_at_)));
}

std::optional<Candidate> RulesGenerator::next() {
  while (true) {
    if (search_->tried_all_alone()) look_further();
    const auto recipe = search_->next();
    if (!recipe) return std::nullopt;
    if (auto candidate = make(*recipe)) return candidate;
    search_->report({*recipe, Report::Kind::not_applicable, 0}, /*spend=*/false);
  }
}

std::optional<Candidate> RulesGenerator::make(const Recipe& recipe) {
  auto applied = session_.apply(recipe);
  if (!applied) return std::nullopt;
  Candidate candidate{recipe, std::move(*applied.variant), ""};
  if (recipe.size() > 1)
    if (const auto parent = session_.apply({recipe.begin(), recipe.end() - 1}))
      candidate.parent = clang_tool::variant_digest(*parent.variant);
  return candidate;
}

void RulesGenerator::report(const Recipe& recipe, const Assessment& assessment, bool earlier) {
  search_->report(
      {recipe, assessment.has_gain() ? Report::Kind::right : Report::Kind::failed, assessment.gain},
      !earlier);
}

std::string RulesGenerator::ended_by() const {
  return steps_ == 0 ? "no transform applies" : search_->ended_by();
}

}  // namespace geak::optimizer

#include "optimizer/bundle_candidates.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace geak::optimizer {
namespace {

using clang_tool::RecipeStep;
using clang_tool::transforms::SeenLaunch;
using clang_tool::transforms::Session;

constexpr std::size_t kExtended = 3;  // best recipes that are taken further
constexpr std::size_t kInPairs = 8;   // steps that are tried in pairs

class Choice {
 public:
  Choice(const KeyedKernel& kernel, const std::vector<std::vector<SeenLaunch>>& launches,
         const cache::Cache& cache, const CandidateChoice& choice)
      : kernel_(kernel), cache_(cache), choice_(choice) {
    if (choice.most == 0) return;
    for (const auto& seen : launches)
      sessions_.push_back(std::make_unique<Session>(clang_tool::transforms::Subject{
          kernel.marked.command, kernel.marked.target_id, kernel.marked.kernel.name,
          kernel.marked.instantiation.template_arguments, seen}));
  }

  std::vector<ChosenCandidate> choose() {
    for (const auto& recipe : known_to_be_right()) take_everywhere(recipe);
    extend_the_best();
    std::vector<std::vector<Recipe>> alone;
    for (auto& session : sessions_) {
      alone.emplace_back();
      for (const auto& option : session->options()) alone.back().push_back({option.step});
    }
    for (std::size_t i = 0; i < sessions_.size(); ++i)
      for (const auto& recipe : alone[i]) take(*sessions_[i], recipe);
    for (std::size_t i = 0; i < sessions_.size(); ++i) take_pairs(*sessions_[i], alone[i]);
    return std::move(chosen_);
  }

 private:
  bool full() const { return chosen_.size() >= choice_.most || choice_.stop(); }

  // Accepted recipes of all evidence that was asked for, the highest gain first.
  std::vector<Recipe> known_to_be_right() const {
    std::multimap<double, Recipe, std::greater<>> found;
    auto types = choice_.extend;
    types.push_back(evidence_for(kernel_));
    for (const auto& type : types)
      for (const auto& trial : cache_.trials(kernel_.key.digest, type))
        if (trial.outcome == "accepted") found.emplace(trial.gain, recipe_from_text(trial.recipe));
    std::vector<Recipe> recipes;
    for (const auto& [gain, recipe] : found)
      if (std::ranges::find(recipes, recipe) == recipes.end()) recipes.push_back(recipe);
    return recipes;
  }

  void extend_the_best() {
    for (const auto& type : choice_.extend) {
      std::multimap<double, Recipe, std::greater<>> best;
      for (const auto& trial : cache_.trials(kernel_.key.digest, type))
        if (trial.outcome == "accepted" && trial.gain > 1)
          best.emplace(trial.gain, recipe_from_text(trial.recipe));
      std::size_t taken = 0;
      for (const auto& [gain, recipe] : best) {
        if (++taken > kExtended) break;
        for (auto& session : sessions_)
          for (const auto& option : session->options(recipe)) {
            auto longer = recipe;
            longer.push_back(option.step);
            take(*session, longer);
          }
      }
    }
  }

  // One step of each transform with each of another's.
  void take_pairs(Session& session, const std::vector<Recipe>& alone) {
    std::vector<RecipeStep> steps;
    std::set<std::string> transforms;
    for (const auto& recipe : alone)
      if (transforms.insert(recipe.front().transform).second && steps.size() < kInPairs)
        steps.push_back(recipe.front());
    for (const auto& first : steps)
      for (const auto& second : steps)
        if (first.transform != second.transform) take(session, {first, second});
  }

  void take_everywhere(const Recipe& recipe) {
    for (auto& session : sessions_) take(*session, recipe);
  }

  void take(Session& session, const Recipe& recipe) {
    if (full()) return;
    const auto applied = session.apply(recipe);
    if (!applied || !digests_.insert(clang_tool::variant_digest(*applied.variant)).second) return;
    ChosenCandidate candidate{recipe, *applied.variant, ""};
    if (recipe.size() > 1)
      if (const auto parent = session.apply({recipe.begin(), recipe.end() - 1}))
        candidate.parent = clang_tool::variant_digest(*parent.variant);
    chosen_.push_back(std::move(candidate));
  }

  const KeyedKernel& kernel_;
  const cache::Cache& cache_;
  const CandidateChoice& choice_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<ChosenCandidate> chosen_;
  std::set<std::string> digests_;
};

}  // namespace

std::vector<ChosenCandidate> choose_candidates(
    const KeyedKernel& kernel,
    const std::vector<std::vector<clang_tool::transforms::SeenLaunch>>& launches,
    const cache::Cache& cache, const CandidateChoice& choice) {
  return Choice(kernel, launches, cache, choice).choose();
}

}  // namespace geak::optimizer

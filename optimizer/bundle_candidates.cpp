#include "optimizer/bundle_candidates.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "optimizer/assessment.h"
#include "optimizer/search.h"

namespace geak::optimizer {
namespace {

using clang_tool::RecipeStep;
using clang_tool::transforms::SeenLaunch;
using clang_tool::transforms::Session;

constexpr std::size_t kOfAKind = 3;      // known recipes of the same transforms
constexpr std::size_t kExplained = 2;    // known recipes whose steps are left out by turns
constexpr std::size_t kLookedAfter = 2;  // known recipes that make room for further steps
constexpr std::size_t kMostIdle = 24;    // questions in a row that brought no candidate
constexpr double kShareOfKnown = 0.4;    // of all candidates
constexpr double kShareWithAlone = 0.8;  // of all candidates, those before counted in

struct Known {
  Recipe recipe;
  double gain = 1;
};

// Equal but for numbers and truth values.
bool same_form(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_number() && b.is_number()) return true;
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), same_form);
  if (!a.is_object()) return a == b;
  return std::all_of(a.items().begin(), a.items().end(), [&](const auto& item) {
    return b.contains(item.key()) && same_form(item.value(), b.at(item.key()));
  });
}

std::string kind_of(const Recipe& recipe) {
  std::set<std::string> names;
  for (const auto& step : flattened(recipe)) names.insert(step.transform);
  std::string kind;
  for (const auto& name : names) kind += name + ",";
  return kind;
}

class Choice {
 public:
  Choice(const KeyedKernel& kernel, const std::vector<std::vector<SeenLaunch>>& launches,
         const cache::Cache& cache, const CandidateChoice& choice)
      : kernel_(kernel), cache_(cache), choice_(choice) {
    if (choice.most == 0) return;
    for (const auto& seen : launches) {
      sessions_.push_back(std::make_unique<Session>(clang_tool::transforms::Subject{
          kernel.marked.command, kernel.marked.target_id, kernel.marked.kernel.name,
          kernel.marked.instantiation.template_arguments, seen}));
      offered_.emplace_back();
      for (const auto& option : sessions_.back()->options()) offered_.back().push_back(option.step);
    }
  }

  std::vector<ChosenCandidate> choose() {
    const auto known = known_recipes();
    take_known(known);
    for (std::size_t i = 0; i < std::min(kExplained, known.size()); ++i)
      if (known[i].gain > 1)
        for (const auto& less : with_one_step_less(known[i].recipe)) take_everywhere(less);
    take_alone();
    search_on(known);
    return std::move(chosen_);
  }

 private:
  bool full() const { return chosen_.size() >= choice_.most || choice_.stop(); }

  // The fastest first; evidence that was asked for before that of the emulated GPU.
  std::vector<Known> known_recipes() const {
    std::vector<Known> all;
    std::set<std::string> seen;
    auto types = choice_.extend;
    types.push_back(evidence_for(kernel_));
    for (const auto& type : types) {
      std::vector<Known> own;
      for (const auto& trial : cache_.trials(kernel_.key.digest, type))
        if ((trial.outcome == name_of(Assessment::Outcome::accepted) ||
             trial.outcome == name_of(Assessment::Outcome::timed)) &&
            trial.gain > 0 && seen.insert(trial.recipe).second)
          own.push_back({recipe_from_text(trial.recipe), trial.gain});
      std::ranges::sort(own, {},
                        [](const auto& one) { return std::pair(-one.gain, to_text(one.recipe)); });
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  void take_known(const std::vector<Known>& known) {
    std::map<std::string, std::size_t> of_kind;
    const auto most = static_cast<std::size_t>(kShareOfKnown * static_cast<double>(choice_.most));
    for (const auto& one : known) {
      if (chosen_.size() >= most) return;
      if (of_kind[kind_of(one.recipe)]++ < kOfAKind) take_everywhere(one.recipe);
    }
  }

  // Every step alone, whatever is known of it: another device may like what the emulated one does
  // not. One of each form, then a second, a third.
  void take_alone() {
    std::vector<std::vector<RecipeStep>> forms;
    const auto add = [&](const RecipeStep& step) {
      const auto form = std::ranges::find_if(forms, [&](const auto& other) {
        return other.front().transform == step.transform &&
               same_form(other.front().parameters, step.parameters);
      });
      if (form == forms.end())
        forms.push_back({step});
      else if (std::ranges::find(*form, step) == form->end())
        form->push_back(step);
    };
    // What each workload has first comes first: some steps only one of them allows.
    std::size_t longest = 0;
    for (const auto& offered : offered_) longest = std::max(longest, offered.size());
    for (std::size_t at = 0; at < longest; ++at)
      for (const auto& offered : offered_)
        if (at < offered.size()) add(offered[at]);
    const auto most = static_cast<std::size_t>(kShareWithAlone * static_cast<double>(choice_.most));
    for (std::size_t nth = 0; nth < kOfAKind; ++nth)
      for (const auto& form : forms) {
        if (chosen_.size() >= most) return;
        if (nth < form.size()) take_everywhere({form[nth]});
      }
  }

  void search_on(const std::vector<Known>& known) {
    std::vector<RecipeStep> steps;
    for (const auto& offered : offered_)
      for (const auto& step : offered)
        if (std::ranges::find(steps, step) == steps.end()) steps.push_back(step);
    SearchSettings settings;
    settings.seed = choice_.seed;
    settings.worth_trying = 0.5;
    settings.patience = settings.trials = 100'000;
    Search search(steps, clang_tool::transforms::axes_of_transforms(), settings);
    for (const auto& one : known)
      search.report({one.recipe, Report::Kind::right, one.gain}, /*spend=*/false);
    for (std::size_t i = 0; i < std::min(kLookedAfter, known.size()) && !full(); ++i)
      for (auto& session : sessions_) {
        std::vector<RecipeStep> further;
        for (const auto& option : session->options(known[i].recipe)) further.push_back(option.step);
        search.offer(further);
      }
    // Compositions that do not apply, or make what is there already, cost as much as others.
    for (std::size_t idle = 0; !full() && idle < kMostIdle;) {
      const auto recipe = search.next();
      if (!recipe) return;
      const auto before = chosen_.size();
      const double expected = search.expected(*recipe);
      search.report({*recipe,
                     take_everywhere(*recipe) ? Report::Kind::right : Report::Kind::not_applicable,
                     expected});
      idle = chosen_.size() > before ? 0 : idle + 1;
    }
  }

  // Whether it applies anywhere.
  bool take_everywhere(const Recipe& recipe) {
    std::vector<Recipe> by_workload;
    for (const auto& offered : offered_) by_workload.push_back(adapted(recipe, offered));
    return taken_by_any(by_workload, [this](std::size_t workload, const Recipe& here) {
      return !full() && take(*sessions_[workload], here);
    });
  }

  bool take(Session& session, const Recipe& recipe) {
    const auto applied = session.apply(recipe);
    if (!applied) return false;
    if (!digests_.insert(clang_tool::variant_digest(*applied.variant)).second) return true;
    ChosenCandidate candidate{recipe, *applied.variant, ""};
    if (recipe.size() > 1)
      if (const auto parent = session.apply({recipe.begin(), recipe.end() - 1}))
        candidate.parent = clang_tool::variant_digest(*parent.variant);
    chosen_.push_back(std::move(candidate));
    return true;
  }

  const KeyedKernel& kernel_;
  const cache::Cache& cache_;
  const CandidateChoice& choice_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<std::vector<RecipeStep>> offered_;  // by each session, for the original
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

Recipe adapted(const Recipe& recipe, const std::vector<RecipeStep>& offered) {
  Recipe here;
  for (const auto& step : recipe) {
    here.push_back(step);
    if (step.transform == clang_tool::transforms::sequence_step) {
      Recipe inner;
      for (const auto& one : step.parameters.at("steps")) inner.push_back(one.get<RecipeStep>());
      here.back().parameters["steps"] = adapted(inner, offered);
      continue;
    }
    if (std::ranges::find(offered, step) != offered.end()) continue;
    // Several of a form are choices of a number (a factor, a tile), not facts of the workload.
    std::vector<const RecipeStep*> alike;
    for (const auto& other : offered)
      if (other.transform == step.transform && same_form(other.parameters, step.parameters))
        alike.push_back(&other);
    if (alike.size() == 1) here.back() = *alike.front();
  }
  return here;
}

bool taken_by_any(const std::vector<Recipe>& by_workload,
                  const std::function<bool(std::size_t workload, const Recipe&)>& take) {
  std::set<std::string> taken;
  for (std::size_t i = 0; i < by_workload.size(); ++i)
    if (!taken.contains(to_text(by_workload[i])) && take(i, by_workload[i]))
      taken.insert(to_text(by_workload[i]));
  return !taken.empty();
}

std::vector<Recipe> with_one_step_less(const Recipe& recipe) {
  const Recipe whole = flattened(recipe);
  std::vector<Recipe> all;
  for (std::size_t at = 0; whole.size() > 1 && at < whole.size(); ++at) {
    all.push_back(whole);
    all.back().erase(all.back().begin() + static_cast<std::ptrdiff_t>(at));
  }
  return all;
}

}  // namespace geak::optimizer

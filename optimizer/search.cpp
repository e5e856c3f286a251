#include "optimizer/search.h"

#include <algorithm>
#include <cmath>

namespace geak::optimizer {
namespace {

// A failed trial tells as much about a step as one that halves the speed: enough to put others
// first, not enough to give the step up in other company.
constexpr double kFailureRatio = 0.5;
// Weight of the assumption that an unseen step changes nothing, in trials.
constexpr double kPriorWeight = 0.25;
// Breaks ties and mixes the order a little, so that a seed is a different walk.
constexpr double kJitter = 0.01;
// Gains nearer to each other are of the same code.
constexpr double kSame = 0.001;
// A step that made no difference so often is idle.
constexpr int kIdleAfter = 2;
// What an idle step is expected to gain: less than one that costs little, whose company may turn
// that into a gain; enough to be tried at last.
constexpr double kIdleRatio = 0.92;

using clang_tool::RecipeStep;

bool is_same(double gain, double other) { return std::abs(gain - other) <= kSame * other; }

}  // namespace

Search::Search(std::vector<RecipeStep> steps, AxisOf axes, SearchSettings settings)
    : steps_(std::move(steps)),
      axes_(std::move(axes)),
      settings_(settings),
      random_(settings.seed) {
  alone_ = steps_.size();
  archive_[cell_of({})] = {{}, 1};
  gains_[to_text(Recipe{})] = 1;
  asked_.insert(to_text(Recipe{}));
}

Search::Cell Search::cell_of(const Recipe& recipe) const {
  // Cells are told apart by which transforms work on an axis, not by their parameters: a
  // parameter's best value is what competes inside a cell.
  std::set<std::string> on_axis[3];
  for (const auto& step : flattened(recipe)) {
    const auto found = axes_.find(step.transform);
    const Axis axis = found == axes_.end() ? Axis::compute : found->second;
    on_axis[static_cast<int>(axis)].insert(step.transform);
  }
  Cell cell;
  for (const auto& names : on_axis) {
    for (const auto& name : names) cell += name + ",";
    cell += "|";
  }
  return cell;
}

double Search::marginal(const RecipeStep& step) const {
  const auto found = marginals_.find(to_text(step));
  if (found == marginals_.end()) return 1;
  return std::exp(found->second.log_sum / (found->second.count + kPriorWeight));
}

double Search::promise(const RecipeStep& step) const {
  const auto found = marginals_.find(to_text(step));
  const bool idle =
      found != marginals_.end() && found->second.count >= kIdleAfter && found->second.changed == 0;
  return idle ? kIdleRatio : marginal(step);
}

double Search::expected(const Recipe& recipe) const {
  const auto known = gains_.find(to_text(recipe));
  if (known != gains_.end() && known->second > 0) return known->second;
  if (recipe.empty()) return 1;
  return expected({recipe.begin(), recipe.end() - 1}) * marginal(recipe.back());
}

void Search::consider(const Recipe& recipe, double predicted, std::optional<Recipe>& best,
                      double& best_score) {
  // Most are behind, whatever the jitter: these need no text.
  if (predicted < settings_.worth_trying * best_gain_) return;
  if (predicted * (1 + kJitter) <= best_score || asked_.contains(to_text(recipe))) return;
  const double jitter = 1 + kJitter * std::uniform_real_distribution<double>(0, 1)(random_);
  if (predicted * jitter <= best_score) return;
  best_score = predicted * jitter;
  best = recipe;
}

void Search::extend(const Elite& elite, const std::vector<double>& promises,
                    std::optional<Recipe>& best, double& best_score) {
  for (std::size_t nth = 0; nth < steps_.size(); ++nth) {
    const RecipeStep& step = steps_[nth];
    int same = 0;
    for (std::size_t at = 0; at < elite.recipe.size(); ++at) {
      if (elite.recipe[at].transform != step.transform) continue;
      ++same;
      if (elite.recipe[at] == step) continue;
      Recipe changed = elite.recipe;  // the same transform with other parameters
      changed[at] = step;
      consider(changed, elite.gain * promises[nth] / marginal(elite.recipe[at]), best, best_score);
    }
    if (same >= settings_.repeats ||
        static_cast<int>(elite.recipe.size()) >= settings_.longest_recipe)
      continue;
    Recipe longer = elite.recipe;
    longer.push_back(step);
    consider(longer, elite.gain * promises[nth], best, best_score);
  }
}

std::optional<Recipe> Search::next() {
  ended_by_.clear();
  if (spent_ >= settings_.trials) {
    ended_by_ = "budget";
    return std::nullopt;
  }
  // Each step alone comes first, in the generator's order: the surrogate starts with facts.
  for (std::size_t at = 0; at < alone_; ++at)
    if (asked_.insert(to_text(Recipe{steps_[at]})).second) return Recipe{steps_[at]};
  if (without_progress_ >= settings_.patience) {
    ended_by_ = "no progress";
    return std::nullopt;
  }
  std::optional<Recipe> best;
  double best_score = 0;
  std::vector<double> promises;
  for (const auto& step : steps_) promises.push_back(promise(step));
  for (const auto& [cell, elite] : archive_) extend(elite, promises, best, best_score);
  if (!best) {
    ended_by_ = "exhausted";
    return std::nullopt;
  }
  asked_.insert(to_text(*best));
  return best;
}

void Search::offer(const std::vector<RecipeStep>& steps) {
  for (const auto& step : steps)
    if (std::find(steps_.begin(), steps_.end(), step) == steps_.end()) steps_.push_back(step);
}

bool Search::tried_all_alone() const {
  return std::all_of(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(alone_),
                     [this](const auto& step) { return asked_.contains(to_text(Recipe{step})); });
}

bool Search::learn(const Report& report) {
  const bool right = report.kind == Report::Kind::right;
  bool some_idle = false;
  for (std::size_t at = 0; at < report.recipe.size(); ++at) {
    const auto base = gains_.find(to_text(without(report.recipe, at)));
    if (base == gains_.end() || base->second <= 0) continue;
    const double ratio = right ? report.gain / base->second : kFailureRatio;
    auto& marginal = marginals_[to_text(report.recipe[at])];
    marginal.log_sum += std::log(std::max(ratio, 1e-3));
    ++marginal.count;
    const bool idle = right && is_same(report.gain, base->second);
    marginal.changed += !idle;
    some_idle |= idle;
  }
  return some_idle;
}

void Search::report(const Report& report, bool spend) {
  const std::string text = to_text(report.recipe);
  asked_.insert(text);
  if (report.recipe.empty()) return;
  if (report.kind == Report::Kind::not_applicable) return;
  const bool right = report.kind == Report::Kind::right;
  const bool adds_nothing = learn(report) && report.recipe.size() > 1;
  if (const auto known = gains_.find(text); !right && known != gains_.end() && known->second > 0)
    forget(report.recipe);
  gains_[text] = right ? report.gain : 0;
  bool progress = false;
  if (right && !adds_nothing) take_in(report, progress);
  if (!spend) return;
  ++spent_;
  without_progress_ = progress ? 0 : without_progress_ + 1;
}

void Search::take_in(const Report& report, bool& progress) {
  auto [place, is_new] = archive_.try_emplace(cell_of(report.recipe));
  if (is_new || report.gain > place->second.gain) {
    progress = report.gain > best_gain_;
    place->second = {report.recipe, report.gain};
  }
  if (report.gain <= best_gain_) return;
  best_gain_ = report.gain;
  best_ = report.recipe;
}

// It was taken in, and is wrong after all.
void Search::forget(const Recipe& recipe) {
  std::erase_if(archive_, [&](const auto& entry) { return entry.second.recipe == recipe; });
  if (best_ != recipe) return;
  best_.clear();
  best_gain_ = 1;
  for (const auto& [cell, elite] : archive_) {
    if (elite.gain <= best_gain_) continue;
    best_gain_ = elite.gain;
    best_ = elite.recipe;
  }
}

std::map<std::string, double> Search::step_gains() const {
  std::map<std::string, double> gains;
  for (const auto& [step, seen] : marginals_) gains[step] = std::exp(seen.log_sum / seen.count);
  return gains;
}

}  // namespace geak::optimizer

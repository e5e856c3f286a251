// Which recipe to try next. Ask and tell: the search knows neither kernels nor trials, so the same
// reports in the same order lead to the same questions, which is what makes a run repeatable with
// its seed and lets a later run resume from the trials that the cache kept.
//
// It is best-first over compositions of the generator's steps. A surrogate predicts a composition's
// gain as its parent's gain times what the added step gained elsewhere (geometric mean of the
// ratios seen; steps combine independently until a trial says otherwise). Parents are the elites of
// a quality-diversity archive (MAP-Elites): the best recipe of each cell, so that a composition
// which leads nowhere at first still gets partners.
//
// A step that changes nothing, mostly because the compiler had done it, would make another cell of
// every recipe that it is added to, each with the same successors: such a recipe is no elite, and a
// step that never changed anything comes after those of which that isn't known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "clang-tool/transforms/axis.h"
#include "optimizer/recipe.h"

namespace geak::optimizer {

struct SearchSettings {
  std::uint64_t seed = 1;
  int trials = 600;           // of this run; compilations that fail count
  int patience = 48;          // ends after so many trials in a row that improved no cell
  int longest_recipe = 6;     // steps
  double worth_trying = 0.9;  // predicted gain, relative to the best, below which a composition is
                              // left out: an early stop of losers
  int repeats = 1;            // how often one transform may occur in a recipe
};

// What became of a recipe.
struct Report {
  enum class Kind {
    right,           // timed, nothing speaks against it; whatever its gain
    failed,          // tried, and refused somewhere: says something about its steps
    not_applicable,  // its steps do not compose: says nothing about them
  };
  Recipe recipe;
  Kind kind = Kind::failed;
  double gain = 0;  // original's time / variant's; for right ones
};

// A cell of the archive: what a recipe does about memory, about computation, and about parallelism.
using clang_tool::transforms::Axis;
using AxisOf = std::map<std::string, Axis>;  // by transform; what no rule makes counts as compute

class Search {
 public:
  // `steps`: what the generator offers for this kernel, the most promising first.
  Search(std::vector<clang_tool::RecipeStep> steps, AxisOf axes, SearchSettings settings);

  // Nothing when the search is over: budget of trials spent, nothing left that is worth a trial, or
  // no progress for too long. Each recipe is asked for once.
  std::optional<Recipe> next();
  // May come later than further questions, and again where a recipe that was right turns out wrong.
  // Also for recipes that next() didn't ask for: those of an earlier run (resume) or of another
  // generator. `spend`: it counts against this run's trials and patience.
  void report(const Report& report, bool spend = true);

  // Further steps, which apply to some composition only: they are not tried alone.
  void offer(const std::vector<clang_tool::RecipeStep>& steps);
  // Whether every step has been asked for alone, so that compositions come next.
  bool tried_all_alone() const;

  // What it takes a recipe to gain: as reported, or by what its steps gained elsewhere.
  double expected(const Recipe& recipe) const;

  double best_gain() const { return best_gain_; }
  const Recipe& best() const { return best_; }
  int trials() const { return spent_; }
  // Why next() returned nothing: "budget", "exhausted", "no progress".
  const std::string& ended_by() const { return ended_by_; }
  // Geometric mean of what a step changed where it was added, by to_text(step); 1 is no change.
  std::map<std::string, double> step_gains() const;

 private:
  struct Elite {
    Recipe recipe;
    double gain = 1;
  };
  struct Marginal {
    double log_sum = 0;
    int count = 0;
    int changed = 0;  // times that it made any difference
  };
  using Cell = std::string;

  Cell cell_of(const Recipe& recipe) const;
  double marginal(const clang_tool::RecipeStep& step) const;
  // What it is expected to gain where it is added, by which the next recipe is chosen.
  double promise(const clang_tool::RecipeStep& step) const;
  void consider(const Recipe& recipe, double predicted, std::optional<Recipe>& best,
                double& best_score);
  // `promises`: of steps_.
  void extend(const Elite& elite, const std::vector<double>& promises, std::optional<Recipe>& best,
              double& best_score);
  // What each step changed, wherever the recipe without it was tried; whether one of them changed
  // nothing.
  bool learn(const Report& report);
  void take_in(const Report& report, bool& progress);
  void forget(const Recipe& recipe);

  std::vector<clang_tool::RecipeStep> steps_;
  std::size_t alone_ = 0;  // so many of the first steps are tried alone
  AxisOf axes_;
  SearchSettings settings_;
  std::mt19937_64 random_;
  std::map<Cell, Elite> archive_;
  std::map<std::string, double> gains_;  // by recipe text; 0: failed
  std::map<std::string, Marginal> marginals_;
  std::set<std::string> asked_;
  Recipe best_;
  double best_gain_ = 1;
  int spent_ = 0, without_progress_ = 0;
  std::string ended_by_;
};

}  // namespace geak::optimizer

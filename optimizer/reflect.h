// What the trials say: where the time goes, and which transforms moved it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "optimizer/assessment.h"
#include "optimizer/recipe.h"

namespace geak::optimizer {

// How one counter of the variant stands to the original's; below 1 is less work.
struct CounterChange {
  std::string counter;
  double original = 0, variant = 0;
  double ratio() const { return original == 0 ? 1 : variant / original; }
};

// Counters that both sides have, the largest change first. Empty where `counters` has none.
std::vector<CounterChange> counter_changes(const std::string& counters_json);

// What each step of a recipe contributed: from the accepted trials of recipes that differ by that
// step alone. By describe() of the step; geometric mean over all such pairs.
class Reflection {
 public:
  void add(const Recipe& recipe, const Assessment& assessment);
  std::map<std::string, double> contributions() const;
  int accepted() const { return accepted_; }
  int total() const { return total_; }
  // "12 trials: 8 accepted, 3 do not compile, 1 rejected"
  std::string summary() const;

 private:
  std::map<std::string, double> gains_;  // by recipe text
  std::map<std::string, Recipe> recipes_;
  std::map<std::string, int> outcomes_;
  int accepted_ = 0, total_ = 0;
};

}  // namespace geak::optimizer

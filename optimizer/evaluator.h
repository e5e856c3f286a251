// How a candidate is judged: compile, static gates, trial.
#pragma once

#include "optimizer/assessment.h"
#include "optimizer/generator.h"

namespace geak::optimizer {

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // The original beside itself: that the record replays, what it takes, and what limits it.
  virtual Assessment baseline() = 0;
  virtual Assessment assess(const Candidate& candidate) = 0;
};

}  // namespace geak::optimizer

// How a candidate is judged: compile, static gates, a first look, a trial.
#pragma once

#include <vector>

#include "optimizer/assessment.h"
#include "optimizer/generator.h"

namespace geak::optimizer {

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // The original beside itself: that the record replays, what it takes, and what limits it.
  virtual Assessment baseline() = 0;
  // Several at a glance, which costs a fraction of judging them: `timed` with a gain, or what
  // speaks against them. As many as candidates.
  virtual std::vector<Assessment> look(const std::vector<Candidate>& candidates) = 0;
  // The full judgement: never `timed`.
  virtual Assessment assess(const Candidate& candidate) = 0;
};

}  // namespace geak::optimizer

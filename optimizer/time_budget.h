// One kernel's seconds, shared out between looks at candidates, which are cheap, and judgements,
// which are not. A judgement that is due must have its time: what was found early and never judged
// would be lost, so looks end before the time does. Begun is no judgement that would end after it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace geak::optimizer {

class TimeBudget {
 public:
  explicit TimeBudget(double seconds) : seconds_(seconds), started_(Clock::now()) {}

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }
  bool is_over() const { return elapsed() >= seconds_; }

  // All so far went into the original's trial.
  void took_baseline() { judgement_ = kJudgementOfBaseline * elapsed(); }
  void took_judgement(double seconds) {
    judgement_ = judged_any_ ? std::max(judgement_, seconds) : seconds;
    judged_any_ = true;
  }
  void took_look(double seconds) { look_ = std::max(look_, seconds); }

  // What is left for looks where so many judgements are due: the first has its time in any case,
  // the others together up to half of all.
  double left_for_looks(std::size_t due) const {
    if (due == 0) return seconds_ - elapsed();
    const double all = static_cast<double>(due) * judgement_;
    return seconds_ - elapsed() - std::max(judgement_, std::min(all, seconds_ / 2));
  }

  // How many looks fit, at least one.
  std::size_t looks_that_fit(std::size_t due, std::size_t most) const {
    if (look_ <= 0) return most;
    const double fit = std::max(1.0, left_for_looks(due) / look_);
    return static_cast<std::size_t>(std::min(fit, static_cast<double>(most)));
  }

  // Whether one more judgement would not end in time. The first is what the time was kept for.
  bool is_late() const { return judged_any_ && elapsed() + judgement_ > seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  // A judgement takes so many times as long as the original's trial beside itself, until one has
  // shown what it takes: other inputs, other sizes, checks and orders come to ten to fifty
  // launches.
  static constexpr double kJudgementOfBaseline = 10;

  double seconds_;
  Clock::time_point started_;
  double judgement_ = 0;  // the longest so far; before the first a guess
  bool judged_any_ = false;
  double look_ = 0;  // of one candidate, the longest so far
};

}  // namespace geak::optimizer

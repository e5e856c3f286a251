// Original against candidate on one recorded launch.
#pragma once

#include "replay/replayer/challenger.h"

namespace geak::replay {

class Contest {
 public:
  // Of the specification it takes seeds, rounds and whether memory is exact. `peak_bandwidth`: of
  // the device's memory, bytes in a nanosecond; 0: unknown.
  Contest(const TrialSpec& spec, Baseline& baseline, Side& candidate, const LaunchPlan& plan,
          PlannedLaunch planned, double peak_bandwidth)
      : spec_(spec),
        baseline_(baseline),
        challenger_(candidate, plan, std::move(planned), baseline, spec.exact_memory),
        peak_bandwidth_(peak_bandwidth) {}

  // Leaves out other sizes, alignments and arguments, which cost as much again as the recorded
  // input does.
  void keep_recorded_launch() { varies_launch_ = false; }

  // On the recorded input, repeatedly and interleaved; then on fresh inputs and other sizes.
  std::optional<Verdict> judge();
  // What a launch of the candidate on the recorded input left, made elsewhere (a timed one).
  std::optional<Verdict> judge_recorded(const Outcome& found);

  const Times& original_times() const { return original_times_; }
  const Times& candidate_times() const { return candidate_times_; }
  double noise() const { return std::max(original_times_.spread(), candidate_times_.spread()); }
  const nlohmann::json& candidate_counters() const { return candidate_counters_; }
  unsigned inputs_tried() const { return inputs_tried_; }
  // What was left out and why, beside the baseline's own notes.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Round {
    Outcome found, expected;
  };
  Round hold_round(unsigned number, const Image& input);
  std::optional<Verdict> time_rounds();
  bool races(const Image& input);
  Verdict explain(Verdict verdict, const Image& input, const Round& round);
  std::optional<Verdict> check_floor() const;
  std::optional<Verdict> try_fresh(std::uint64_t seed);
  // What speaks against the candidate on one input.
  struct Finding {
    std::optional<Verdict> verdict;
    bool faulted = false;
  };
  Finding try_input(const Baseline::Fresh& fresh);
  Finding try_input(const OtherLaunch& made, const PlannedLaunch& planned, const Image& input,
                    const Outcome& expected, std::uint64_t seed);
  // Whether it counts: where the original has no result of its own, what a candidate leaves says
  // nothing.
  bool counts(const Finding& finding, const LaunchRecord& record, const Image& input,
              const Outcome& expected);
  std::string name_of_failure(unsigned fill);
  std::optional<Verdict> try_other_launches();
  std::optional<Verdict> try_sizes(const std::vector<SizeArgument>& sizes);
  std::optional<Verdict> try_values(const std::vector<SizeArgument>& sizes);
  std::optional<Verdict> try_launch(const OtherLaunch& made, std::uint64_t seed,
                                    const std::string& attack);

  const TrialSpec& spec_;
  Baseline& baseline_;
  Challenger challenger_;
  double peak_bandwidth_;
  bool varies_launch_ = true;
  Times original_times_, candidate_times_;
  nlohmann::json candidate_counters_;
  unsigned inputs_tried_ = 0, launches_refused_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace geak::replay

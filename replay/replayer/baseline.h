// What a record holds of one launch, and what the original makes of it and of other inputs: all
// that candidates are held against. Knows no candidate, so that one baseline serves many.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/judge/gain.h"
#include "replay/judge/own_error.h"
#include "replay/judge/sizes.h"
#include "replay/replayer/launch_plan.h"
#include "replay/replayer/verdict.h"
#include "replay/trial.h"

namespace geak::replay {

// How long the original took, one time a launch.
class Times {
 public:
  void add(double ns) { ns_.push_back(ns); }
  double median() const { return replay::median(ns_); }
  double spread() const;  // relative: of the slowest and the fastest

 private:
  std::vector<double> ns_;
};

class Baseline {
 public:
  // `fused`: the plan of a candidate that stands for several launches; the original then makes as
  // many of them wherever it runs. All that is given must outlive this.
  Baseline(const TrialSpec& spec, const ArchiveReader& archive, const LaunchRecord& record,
           Side& original, const LaunchPlan* fused = nullptr);

  // The original in other rounding modes, where the device has them: before establish().
  void use_rounded(std::span<const std::unique_ptr<Side>> rounded) { rounded_ = rounded; }
  // Candidates will be many: what the original makes of each input is kept.
  void keep_outcomes() { keeps_ = true; }

  // What the original is established for.
  enum class Purpose {
    timing,    // it is replayed and timed alone
    glance,    // one run, and the widest allowances that any kernel gets
    judgement  // also finds out what it takes to judge candidates: poison, rounding
  };
  // Replays the original on the recorded input. Throws std::runtime_error where it does not give
  // the recorded output: the record is of no use then.
  void establish(Purpose purpose);
  // Instead: how long it takes, whatever it leaves (a part of its workgroups may run).
  void establish_time();

  Outcome run(const LaunchRecord& record, const Image& input);
  // Launches that follow each other.
  Outcome run(const LaunchRecord& record, const Image& input, const Passes& passes);
  Outcome run(const Image& input) { return run(record_, input); }

  // The recorded input with something else in the outputs.
  Image filled(unsigned fill) const { return filled(before_, fill); }
  Outcome on_fill(unsigned fill);
  // Fresh values of a seed, on which the original runs.
  struct Fresh {
    std::optional<Image> input;  // none: no such input that the original takes
    Outcome reference;
    bool changed = false;  // more than what the outputs held
    unsigned fill = 0;     // what they hold
    unsigned care = 0;     // 0: bold changes; the more, the closer to what was recorded
  };
  // With no less care than `care`.
  const Fresh& fresh(std::uint64_t seed, unsigned care = 0);
  // The memory of a launch of another size with fresh values.
  Image varied(const OtherLaunch& made, std::uint64_t seed) const;

  // Whether what a candidate left is what the original left, on the recorded launch and input,
  // whatever its outputs held. `where`: "on the recorded input".
  std::optional<Verdict> check(const Image& input, const Outcome& expected, const Outcome& found,
                               const std::string& where);
  // The same on any other input, where no more than last places may differ: it takes no run of the
  // original. What holds here holds by check_other too.
  std::optional<Verdict> check_closely(const Image& input, const Outcome& expected,
                                       const Outcome& found, const std::string& where) const;
  // On any other input. What differs by more than last places is held against the
  // original's own error on that very input, for which the original runs several times.
  std::optional<Verdict> check_other(const LaunchRecord& record, const Image& input,
                                     const Outcome& expected, const Outcome& found,
                                     const std::string& where);
  // What the original leaves there, or nothing where it faults or writes out of its buffers.
  // Whether that is defined need be asked only where a candidate leaves something else, unless a
  // device watches: then it is asked here, so that no candidate runs where it is not (but for a
  // quick watch, which is no more than a first look).
  std::optional<Outcome> outcome_of(const LaunchRecord& record, const Image& input);
  // Whether the original's `outcome` depends neither on what lies around its buffers nor on the
  // order of waves; nothing where it faults, or the device is of no use any more.
  std::optional<bool> is_defined(const LaunchRecord& record, const Image& input,
                                 const Outcome& outcome);
  // Where the original's two runs agree, the candidate's must, bit for bit.
  std::optional<Verdict> compare_runs(const Outcome& first, const Outcome& second,
                                      const Outcome& expected_first,
                                      const Outcome& expected_second) const;

  const ArchiveReader& archive() const { return archive_; }
  const LaunchRecord& record() const { return record_; }
  const KernelMetadata& metadata() const { return original_.metadata(); }
  const Image& before() const { return before_; }
  const std::vector<ElementType>& types() const { return types_; }
  const Image& expected() const { return expected_; }
  Outcome recorded_outcome() const {
    Outcome outcome;
    outcome.after = expected_;
    return outcome;
  }
  std::vector<std::size_t> element_widths() const;
  // Whether the original changed the region.
  bool wrote(std::size_t region) const { return before_[region] != expected_[region]; }
  // Whether it overwrites whatever the region held.
  bool poisonable(std::size_t region) const { return poisonable_[region]; }
  // Whether what the original leaves depends on the order of waves and workgroups (atomics).
  bool depends_on_order() const {
    return varies_ || std::ranges::find(depends_on_order_, true) != depends_on_order_.end();
  }
  // A candidate that runs longer is stopped.
  std::chrono::milliseconds candidate_limit() const { return candidate_limit_; }

  const Times& times() const { return times_; }
  const nlohmann::json& counters() const { return counters_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // How far floating-point outputs may be off and why; empty where there are none.
  const std::string& allowance() const { return allowance_; }

 private:
  Outcome run_side(Side& side, const LaunchRecord& record, const Image& input,
                   const Passes& passes);
  Passes passes_on(const LaunchRecord& record) const;
  void find_types();
  Outcome follow();
  void find_spread(const Outcome& first);
  void find_order_dependence();
  bool same_result(const Outcome& one, const Outcome& other) const;
  // How far results on one input may be off. Errors look at what the runs left.
  struct Bounds {
    std::vector<Allowance> allowances;  // of each region
    std::vector<Outcome> runs;
    std::vector<std::optional<OwnError>> errors;
  };
  bool tolerance_given() const { return spec_.tolerance.relative || spec_.tolerance.absolute; }
  std::vector<std::size_t> floating_outputs() const;
  Outcome outputs_alone(Outcome outcome) const;
  std::vector<Allowance> first_allowances() const;
  Bounds find_bounds(const LaunchRecord& record, const Image& input, const Image& expected);
  void find_recorded_bounds(Purpose purpose);
  // Those of the recorded input, once they are needed: a candidate that is equal bit for bit needs
  // none.
  const Bounds& recorded_bounds();
  bool as_recorded(std::size_t region, const std::vector<std::byte>& contents);
  std::optional<Verdict> check_traces(const Outcome& found, const std::string& where) const;
  std::optional<Verdict> check_with(const Bounds& bounds, const Image& input, const Image& expected,
                                    const Image& found, const std::string& where) const;
  void find_poisonable();
  bool overwrites(std::size_t region);
  bool repeats_itself() const { return counters_.is_object() && !varies_; }
  void fill_with_neighbours(std::vector<std::byte>& contents, std::size_t region) const;
  Image filled(Image image, unsigned fill) const;
  Fresh make_fresh_input(std::uint64_t seed, unsigned care);

  const TrialSpec& spec_;
  const ArchiveReader& archive_;
  LaunchRecord record_;  // and which of its regions can hold no addresses
  Side& original_;
  const LaunchPlan* fused_;
  bool follows_ = false;  // the recorded launch was repeated; from here on all passes are
  std::span<const std::unique_ptr<Side>> rounded_;
  bool keeps_ = false;
  std::map<unsigned, Outcome> on_fill_;
  std::map<std::pair<std::uint64_t, unsigned>, Fresh> fresh_;  // by seed and care
  Image before_, expected_;                                    // as recorded
  std::vector<ElementType> types_;
  Bounds bounds_;                                   // of the recorded input
  bool bounds_are_open_ = false;                    // they wait for being needed
  std::vector<std::vector<std::uint64_t>> pinned_;  // offsets of stored addresses in each region
  std::vector<bool> poisonable_;
  bool varies_ = false;  // no two of its runs agree
  // What it left where waves and workgroups ran in another order, and in which regions that
  // differs.
  std::vector<Outcome> reordered_;
  std::vector<bool> depends_on_order_;
  std::chrono::milliseconds candidate_limit_{10'000};
  Times times_;
  nlohmann::json counters_;
  std::vector<std::string> notes_;
  std::string allowance_;
};

}  // namespace geak::replay

// Original against candidate on one recorded launch.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "replay/judge/compare.h"
#include "replay/judge/sizes.h"
#include "replay/replayer/side.h"
#include "replay/trial.h"

namespace geak::replay {

// Why the candidate lost.
struct Verdict {
  std::string reason, attack;
};

inline constexpr const char* kLooksAround = "8: behaves by what lies around its buffers";

// Between these lies what a floating-point element may be off, relative to itself.
struct AllowanceLimits {
  double least = 0, most = 0;
};
AllowanceLimits allowance_limits(ElementType type);

// The candidate faulted `where` ("on the recorded input").
Verdict fault_verdict(const std::string& where, const DeviceFault& fault);

// Says on stderr what is about to run: whoever started this process learns from it where it ended.
void announce_phase(const std::string& what);

class Contest {
 public:
  // `candidate` null: the original alone is replayed and timed.
  Contest(const TrialSpec& spec, const ArchiveReader& archive, const LaunchRecord& record,
          Side& original, Side* candidate, double peak_bandwidth);

  // Candidates will come by challenge(): establish() finds out what it takes to judge them, and
  // what the original makes of each input is kept for the next candidate.
  void expect_challengers();
  // The candidate from here on, launched as `change` says.
  void challenge(Side& candidate, const support::LaunchChange& change);
  // The original in other rounding modes, where the device has them: before establish().
  void use_rounded(std::span<const std::unique_ptr<Side>> rounded) { rounded_ = rounded; }

  // Replays the original on the recorded input. Throws std::runtime_error where it does not give
  // the recorded output: the record is of no use then.
  void establish();
  // The same for a first look, which verifies nothing: one run of the original, and the widest
  // allowances that any kernel gets.
  void establish_roughly();
  // The candidate on the recorded input, `rounds` times by turns with the original, once where the
  // device is emulated. Where it stands for several launches, so does the original.
  // Throws DeviceFault.
  std::optional<Verdict> glance(unsigned rounds);
  // The candidate's launch follows from the record's; none where its conditions do not hold there.
  bool has_launch(std::string* why);
  const support::Launch& candidate_launch() const { return *candidate_launch_; }

  // On the recorded input, repeatedly and interleaved; then on fresh inputs.
  std::optional<Verdict> judge();
  // What a launch of the candidate on the recorded input left, made elsewhere (a timed one).
  std::optional<Verdict> judge_recorded(const Outcome& found) const;
  const Image& before() const { return before_; }
  // Of a candidate that stands for several launches: those, and its own.
  struct PassPair {
    Passes original, candidate;
  };
  std::optional<PassPair> passes() const { return passes_of(record_, *candidate_launch_); }
  // Leaves out other sizes and alignments, which cost as much again as the recorded input does.
  void keep_recorded_sizes() { varies_sizes_ = false; }
  // Whether the original changed the region.
  bool wrote(std::size_t region) const;

  double original_ns() const;
  double candidate_ns() const;
  double noise() const;
  unsigned inputs_tried() const { return inputs_tried_; }
  const nlohmann::json& original_counters() const { return original_counters_; }
  const nlohmann::json& candidate_counters() const { return candidate_counters_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // How far floating-point outputs may be off and why; empty where there are none.
  const std::string& allowance() const { return allowance_; }

 private:
  std::optional<std::int64_t> argument(const LaunchRecord& record, std::uint32_t position) const;
  std::optional<PassPair> passes_of(const LaunchRecord& record,
                                    const support::Launch& launch) const;
  Outcome follow();
  Outcome run_original(const Image& input);
  Outcome run_candidate(const Image& input);
  Outcome run_original(const LaunchRecord& record, const Image& input);
  Outcome run_as_original(Side& side, const LaunchRecord& record, const Image& input);
  Outcome run_candidate(const LaunchRecord& record, const support::Launch& launch,
                        const Image& input);
  std::optional<support::Launch> candidate_launch_of(const LaunchRecord& record,
                                                     std::string* why) const;
  void find_types();
  void find_spread(const Outcome& first);
  void find_allowances();
  std::vector<Outcome> perturbed_runs();
  void widen(std::size_t region, double off);
  void find_poisonable();
  bool overwrites(std::size_t region);
  Image filled(Image image, unsigned fill) const;
  std::optional<Verdict> compare_runs(const Outcome& first, const Outcome& second,
                                      const Outcome& expected_first,
                                      const Outcome& expected_second) const;
  bool looks_around(const Image& input, const Outcome& expected);
  bool does_later_work(const Outcome& found) const;
  std::optional<Image> fresh_input(std::uint64_t seed, Outcome& reference, bool& changed);
  std::optional<Verdict> time_rounds();
  std::optional<Verdict> try_fresh(std::uint64_t seed);
  std::optional<Verdict> try_other_sizes();
  std::optional<Verdict> try_resized(const ResizedLaunch& resized, std::uint64_t seed,
                                     const std::string& attack);
  std::optional<Verdict> check(const Image& input, const Outcome& expected, const Outcome& found,
                               const std::string& where) const;
  Verdict name_staleness(Verdict verdict, const Image& input, const Outcome& found);
  std::string name_of_failure(std::uint64_t seed);
  std::optional<Verdict> check_floor() const;
  Outcome original_on_fill(unsigned fill, const Image& input);

  struct Fresh {
    std::optional<Image> input;  // none: no such input that the original takes
    Outcome reference;
    bool changed = false;
  };
  const Fresh& fresh(std::uint64_t seed);

  const TrialSpec& spec_;
  const ArchiveReader& archive_;
  const LaunchRecord& record_;
  Side& original_;
  Side* candidate_;
  const support::LaunchChange* change_;
  bool judges_;  // there is a candidate, or there will be
  bool keeps_originals_ = false, varies_sizes_ = true;
  std::map<unsigned, Outcome> originals_;  // by fill
  std::map<std::uint64_t, Fresh> fresh_;   // by seed
  std::span<const std::unique_ptr<Side>> rounded_;
  double peak_bandwidth_;
  std::optional<support::Launch> candidate_launch_;
  bool follows_ = false;     // the original runs all passes that the candidate stands for
  Image before_, expected_;  // as recorded
  std::vector<ElementType> types_;
  std::vector<Allowance> allowances_;
  std::vector<std::vector<std::uint64_t>> pinned_;  // offsets of stored addresses in each region
  std::vector<bool> poisonable_;
  bool original_varies_ = false;
  std::chrono::milliseconds candidate_limit_{10'000};
  std::vector<double> original_times_, candidate_times_;
  double rough_ns_ = 0;  // the original's, of establish_roughly()
  nlohmann::json original_counters_, candidate_counters_;
  unsigned inputs_tried_ = 0, sizes_tried_ = 0, sizes_refused_ = 0;
  std::vector<std::string> notes_;
  std::string allowance_;
};

}  // namespace geak::replay

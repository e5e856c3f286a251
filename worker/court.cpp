#include "worker/court.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include "replay/replayer/contest.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "worker/bench.h"
#include "worker/gpu.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr RaceEffort kGlance{0.02, 1, 3};    // of all candidates
constexpr RaceEffort kAtLength{0.1, 5, 15};  // of those that may win
constexpr std::size_t kFinalists = 6;
constexpr double kNearTheBest = 0.9;  // of the best gain; below it no finalist
constexpr double kShareOfGlances = 0.5, kShareOfTiming = 0.65;  // of the time; the rest verifies
constexpr double kLeastGain = 1.02;                   // below it a build would not take it
constexpr std::uint64_t kSmallRecord = 16ull << 20;   // of larger ones other launches are not tried
constexpr std::uint64_t kLargeRecord = 256ull << 20;  // of these one fresh input is enough

// The steps of a recipe as texts, those of sequences in their places.
std::vector<std::string> steps_of(const json& recipe) {
  std::vector<std::string> steps;
  for (const auto& step : recipe) {
    const auto parameters = step.value("parameters", json::object());
    if (!parameters.contains("steps")) {
      steps.push_back(support::json_text(step));
      continue;
    }
    for (const auto& inner : steps_of(parameters.at("steps"))) steps.push_back(inner);
  }
  return steps;
}

bool is_one_step_less(const json& recipe, const json& of) {
  const auto less = steps_of(recipe), whole = steps_of(of);
  if (less.size() + 1 != whole.size()) return false;
  const auto differs = std::ranges::mismatch(less, whole);
  return std::equal(differs.in1, less.end(), differs.in2 + 1, whole.end());
}

class Court {
 public:
  Court(const CourtJob& job, const std::function<void(const json&)>& tell)
      : job_(job), tell_(tell), archive_(replay::ArchiveReader::open(job.archive)) {}

  void hold() {
    open();
    glance_at_all();
    race_the_finalists();
    verify_the_best();
    explain_the_winner();
  }

 private:
  struct Timed {
    const CourtCandidate* candidate = nullptr;
    json result;
    double gain = 0;
    bool at_length = false;
  };

  bool out_of_time(double share = 1) const {
    return std::chrono::duration<double>(Clock::now() - started_).count() > share * job_.seconds;
  }

  void open() {
    gpu_ = open_gpu();
    auto code = support::read_bytes(job_.original);
    symbol_ = original_kernel(code, job_.symbol);
    original_ = std::make_unique<replay::Side>(*gpu_.device, std::move(code), symbol_, nullptr);
    spec_.argument_types = job_.argument_types;
    spec_.tolerance.relative = job_.tolerance;
    spec_.rounds = 2;
    benches_ = std::make_unique<Benches>(*gpu_.device, archive_, *original_, spec_, job_, symbol_);
    tell_({{"original", benches_->description()}});
    started_ = Clock::now();
  }

  // Each candidate by few launches; what an earlier process found is taken over.
  void glance_at_all() {
    for (const auto& candidate : job_.candidates) {
      if (const auto known = job_.earlier.find(candidate.digest); known != job_.earlier.end()) {
        if (known->contains("gain") && known->value("outcome", "") == "timed")
          timed_.push_back(
              {&candidate, *known, known->value("gain", 0.0), known->value("at_length", false)});
        continue;
      }
      if (out_of_time(kShareOfGlances)) continue;
      if (auto timed = time(candidate, kGlance)) timed_.push_back(std::move(*timed));
    }
    sort_by_gain();
  }

  void sort_by_gain() {
    std::ranges::sort(timed_, {}, [](const Timed& timed) {
      return std::pair(-timed.gain, timed.candidate->digest);
    });
  }

  void race_the_finalists() {
    if (timed_.empty()) return;
    const double enough = timed_.front().gain * kNearTheBest;
    for (std::size_t i = 0; i < std::min(kFinalists, timed_.size()); ++i)
      if (timed_[i].gain >= enough && !out_of_time(kShareOfTiming)) race_at_length(timed_[i]);
    sort_by_gain();
  }

  void race_at_length(Timed& timed) {
    if (timed.at_length) return;
    if (auto again = time(*timed.candidate, kAtLength)) timed = std::move(*again);
    timed.at_length = timed.result["at_length"] = true;
    tell_({{"result", timed.result}});
  }

  void verify_the_best() {
    if (job_.verify == CourtJob::Verify::nothing) return;
    const bool all = job_.verify == CourtJob::Verify::all;
    for (auto& timed : timed_) {
      if (out_of_time()) return;
      if (!all && timed.gain < std::max(kLeastGain, 1 + timed.result.value("noise", 0.0))) continue;
      if (!verify(timed)) continue;
      if (!winner_) winner_ = timed.candidate;
      if (!all) return;
    }
  }

  // Which step brought what: the candidates that lack one of the winner's steps, timed as it was.
  void explain_the_winner() {
    if (!winner_) return;
    for (auto& timed : timed_)
      if (is_one_step_less(timed.candidate->recipe, winner_->recipe) && !out_of_time())
        race_at_length(timed);
  }

  json lost(const CourtCandidate& candidate, const char* outcome, const std::string& reason,
            const std::string& attack = "") const {
    return {{"digest", candidate.digest},
            {"name", candidate.name},
            {"outcome", outcome},
            {"reason", reason},
            {"attack", attack}};
  }

  // The candidate's side, or nothing: then it was told why.
  std::unique_ptr<replay::Side> load(const CourtCandidate& candidate) {
    try {
      auto code = support::read_bytes(candidate.code);
      const auto kernel = candidate_kernel(code, candidate.name);
      auto side = std::make_unique<replay::Side>(*gpu_.device, std::move(code), kernel, nullptr);
      const auto refusal = check_sides(*original_, symbol_, *side, kernel);
      if (!refusal) return side;
      tell_({{"result", lost(candidate, "refused", refusal->reason, refusal->attack)}});
    } catch (const std::exception& error) {
      tell_({{"result", lost(candidate, "failed", error.what())}});
    }
    return nullptr;
  }

  std::optional<Timed> time(const CourtCandidate& candidate, const RaceEffort& effort) {
    const auto side = load(candidate);
    if (!side) return std::nullopt;
    tell_({{"begins", candidate.digest}, {"doing", "timing"}});
    const replay::LaunchPlan plan(original_->metadata(), candidate.launch, archive_.launches());
    const auto times = benches_->race(*side, plan, effort);
    if (times.refusal) {
      tell_({{"result", lost(candidate, "refused", times.refusal->reason, times.refusal->attack)}});
      return std::nullopt;
    }
    if (times.tried == 0) {
      tell_({{"result", lost(candidate, "rejected",
                             "its conditions hold for no recorded launch (" + times.why + ")",
                             "23: an optimized branch that is never taken")}});
      return std::nullopt;
    }
    Timed timed{&candidate, lost(candidate, "timed", ""), times.gain.gain};
    timed.result.update({{"original_ns", times.gain.original_ns},
                         {"candidate_ns", times.gain.candidate_ns},
                         {"gain", times.gain.gain},
                         {"noise", times.gain.noise},
                         {"launches_tried", times.tried},
                         {"registers", side->metadata().vgprs},
                         {"shared_bytes", side->metadata().static_lds},
                         {"local_bytes", side->metadata().scratch}});
    tell_({{"result", timed.result}});
    return timed;
  }

  std::optional<replay::Verdict> judge(Bench& bench, const Pairing& both,
                                       const replay::LaunchPlan& plan, unsigned& inputs) {
    // A candidate that stands for several launches is held against as many of the original.
    std::optional<replay::Baseline> fused;
    if (plan.fuses_launches()) {
      fused.emplace(spec_, archive_, *bench.record, *original_, &plan);
      fused->establish(replay::Baseline::Purpose::judgement);
    }
    replay::Contest contest(spec_, fused ? *fused : *bench.baseline, *both.candidate.side, plan,
                            both.planned, gpu_.device->peak_bandwidth());
    if (fused || job_.recorded_inputs_only || region_bytes(*bench.record) > kSmallRecord)
      contest.keep_recorded_launch();
    std::optional<replay::Verdict> verdict;
    if (!fused) verdict = contest.judge_recorded(bench.resident->again(both.candidate));
    if (!verdict) verdict = contest.judge();
    inputs += contest.inputs_tried();
    return verdict;
  }

  // Whether it is accepted.
  bool verify(Timed& timed) {
    const auto& candidate = *timed.candidate;
    const auto side = load(candidate);
    if (!side) return false;
    tell_({{"begins", candidate.digest}, {"doing", "verifying"}});
    const replay::LaunchPlan plan(original_->metadata(), candidate.launch, archive_.launches());
    unsigned inputs = 0;
    for (auto& bench : benches_->all()) {
      std::string why;
      const auto both = benches_->pair(bench, *side, plan, why);
      if (!both) continue;
      spec_.seeds = job_.recorded_inputs_only ? std::vector<std::uint64_t>() : job_.seeds;
      if (bench.resident->bytes() > kLargeRecord && spec_.seeds.size() > 1) spec_.seeds.resize(1);
      const auto verdict = judge(bench, *both, plan, inputs);
      if (!verdict) continue;
      timed.result.update(
          {{"outcome", "rejected"}, {"reason", verdict->reason}, {"attack", verdict->attack}});
      tell_({{"result", timed.result}});
      return false;
    }
    if (inputs == 0) {
      timed.result.update({{"outcome", "rejected"},
                           {"reason", "it ran on no input that could be judged"},
                           {"attack", "23: an optimized branch that is never taken"}});
      tell_({{"result", timed.result}});
      return false;
    }
    timed.result.update({{"outcome", "accepted"}, {"inputs_tried", inputs}});
    tell_({{"result", timed.result}});
    return true;
  }

  const CourtJob& job_;
  const std::function<void(const json&)>& tell_;
  Clock::time_point started_;
  replay::ArchiveReader archive_;
  Gpu gpu_;
  replay::TrialSpec spec_;
  std::string symbol_;
  std::unique_ptr<replay::Side> original_;
  std::unique_ptr<Benches> benches_;
  std::vector<Timed> timed_;
  const CourtCandidate* winner_ = nullptr;
};

}  // namespace

void hold_court(const CourtJob& job, const std::function<void(const nlohmann::json&)>& tell) {
  Court(job, tell).hold();
}

}  // namespace geak::worker

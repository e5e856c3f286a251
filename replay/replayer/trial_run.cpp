#include "replay/replayer/trial_run.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "replay/code_object/elf.h"
#include "replay/code_object/rounding.h"
#include "replay/gates/static_gates.h"
#include "replay/hsa/hsa_device.h"
#include "replay/judge/gain.h"
#include "replay/replayer/contest.h"
#include "replay/replayer/phase.h"
#include "replay/replayer/trial_inputs.h"

namespace geak::replay {
namespace {

class Trial {
 public:
  explicit Trial(const TrialSpec& spec)
      : spec_(spec),
        archive_(ArchiveReader::open(spec.archive)),
        records_(records_of(archive_, spec)) {
    result.notes = archive_.problems();
    for (const auto* record : records_) ++tried_of_class_[record->launch_class];
  }

  void hold() {
    load();
    if (candidate_ && !pass_gates()) return;
    for (const auto* record : records_) {
      if (!contend(*record)) return;
    }
    conclude();
  }

  TrialResult result;

 private:
  void load() {
    announce_phase("loading the original");
    auto code = original_code(archive_, *records_.front(), spec_);
    result.architecture = read_elf(code).machine;
    device_ = std::make_unique<HsaDevice>(result.architecture);
    result.evidence = device_->name();
    original_ = std::make_unique<Side>(*device_, std::move(code), spec_.kernel, &counters_);
    if (!spec_.candidate_code_object.empty()) {
      announce_phase("loading the candidate");
      candidate_ = read_code(spec_.candidate_code_object, result.architecture);
    } else if (spec_.exact_memory) {
      // A device watches: the original against itself, so that it meets whatever a candidate does.
      candidate_ = original_->code();
    }
  }

  const std::string& candidate_name() const {
    return spec_.candidate_code_object.empty() ? spec_.kernel : spec_.candidate;
  }

  // What rounding in other directions makes of the original is the size of its own error.
  void load_rounded() {
    if (spec_.tolerance.relative || spec_.tolerance.absolute) return;
    for (const auto rounding : {Rounding::up, Rounding::down, Rounding::to_zero}) {
      auto code = with_rounding(original_->code(), spec_.kernel, rounding);
      if (!code) return;
      rounded_.push_back(
          std::make_unique<Side>(*device_, std::move(*code), spec_.kernel, &counters_));
    }
  }

  bool pass_gates() {
    const auto digest = to_hex(digest_of(*candidate_));
    if (!spec_.candidate_digest.empty() && digest != spec_.candidate_digest) {
      return reject("the code object is not the one that was compiled from the candidate (digest " +
                        digest + ")",
                    "27: a stale binary in place of the candidate");
    }
    const auto refusal =
        check_code({original_->code(), spec_.kernel}, {*candidate_, candidate_name()});
    if (refusal) return reject(refusal->reason, refusal->attack);
    candidate_side_ =
        std::make_unique<Side>(*device_, std::move(*candidate_), candidate_name(), &counters_);
    load_rounded();
    for (auto* side : {original_.get(), candidate_side_.get()}) {
      side->choose_surroundings(!spec_.exact_memory);
    }
    for (const auto& side : rounded_) side->choose_surroundings(!spec_.exact_memory);
    return true;
  }

  bool reject(const std::string& reason, const std::string& attack) {
    result.accepted = false;
    result.reason = reason;
    result.attack = attack;
    return false;
  }

  // False ends the trial: the candidate lost.
  bool contend(const LaunchRecord& record) {
    try {
      return contend_where_it_runs(record);
    } catch (const support::GuardFault& fault) {
      return reject(fault.what(), "");
    }
  }

  bool contend_where_it_runs(const LaunchRecord& record) {
    const LaunchPlan plan(original_->metadata(), spec_.launch_change, archive_.launches());
    std::optional<PlannedLaunch> planned;
    if (candidate_side_) {
      planned = plan.of(record, &guard_reason_);
      if (!planned) {
        ++guarded_;
        add_original(record);
        return true;
      }
      const auto refusal =
          check_launch(candidate_side_->metadata(), planned->launch, device_->lds_bytes());
      if (refusal) return reject(refusal->reason, refusal->attack);
    }
    Baseline baseline(spec_, archive_, record, *original_,
                      candidate_side_ && plan.fuses_launches() ? &plan : nullptr);
    if (!establish(baseline,
                   candidate_side_ ? Baseline::Purpose::judgement : Baseline::Purpose::timing))
      return true;
    std::optional<Contest> contest;
    std::optional<Verdict> verdict;
    if (candidate_side_) {
      contest.emplace(spec_, baseline, *candidate_side_, plan, std::move(*planned),
                      device_->peak_bandwidth());
      if (!spec_.other_launches) contest->keep_recorded_launch();
      verdict = contest->judge();
      result.inputs_tried += contest->inputs_tried();
      note(contest->notes());
    }
    if (!contest) ++result.inputs_tried;  // the recorded one
    note(baseline.notes());
    if (result.allowance.empty()) result.allowance = baseline.allowance();
    if (counters_.present()) result.evidence = "emulated " + result.architecture;
    if (verdict) return reject(record, *verdict);
    add(record, baseline, contest);
    return true;
  }

  // Where the candidate's conditions do not hold the original stays: it counts on both sides.
  void add_original(const LaunchRecord& record) {
    Baseline baseline(spec_, archive_, record, *original_);
    if (!establish(baseline, Baseline::Purpose::timing)) return;
    const Times& times = baseline.times();
    add_times(record, baseline, times, times, times.spread());
    accumulate(result.counters["candidate"], baseline.counters(), weight_of(record));
  }

  // Whether the record is of use.
  bool establish(Baseline& baseline, Baseline::Purpose purpose) {
    baseline.use_rounded(rounded_);
    try {
      baseline.establish(purpose);
      return true;
    } catch (const std::exception& error) {
      const auto& record = baseline.record();
      result.notes.push_back("launch " + std::to_string(record.ordinal) + " of class " +
                             record.launch_class + " is left out: " + error.what());
      refused_.push_back(error.what());
      return false;
    }
  }

  void note(const std::vector<std::string>& notes) {
    for (const auto& text : notes) {
      if (std::ranges::find(result.notes, text) == result.notes.end()) result.notes.push_back(text);
    }
  }

  bool reject(const LaunchRecord& record, const Verdict& verdict) {
    const bool larger = held_ && work_items(record) > largest_held_;
    const bool named = !verdict.attack.empty() && !verdict.attack.starts_with("17") &&
                       !verdict.attack.starts_with("18");
    return reject(verdict.reason,
                  larger && !named ? "29: right on smaller launches alone" : verdict.attack);
  }

  double weight_of(const LaunchRecord& record) const {
    return static_cast<double>(archive_.launches_of_class(record.launch_class)) /
           static_cast<double>(tried_of_class_.at(record.launch_class));
  }

  void add_times(const LaunchRecord& record, const Baseline& baseline, const Times& original,
                 const Times& candidate, double noise) {
    const auto& counters = baseline.counters();
    const bool overhead = counters.is_object() && counters.value("bound", "") == "launch";
    times_.push_back({original.median(), candidate.median(), weight_of(record), noise, overhead});
    accumulate(result.counters["original"], counters, weight_of(record));
  }

  void add(const LaunchRecord& record, const Baseline& baseline,
           const std::optional<Contest>& contest) {
    if (contest) {
      add_times(record, baseline, contest->original_times(), contest->candidate_times(),
                contest->noise());
      accumulate(result.counters["candidate"], contest->candidate_counters(), weight_of(record));
    } else {
      add_times(record, baseline, baseline.times(), Times(), baseline.times().spread());
    }
    result.launches_tried.push_back(place_among_launches(archive_, record));
    largest_held_ = std::max(largest_held_, work_items(record));
    ++held_;
  }

  void conclude() {
    if (held_ == 0) {
      const bool never = guarded_ && refused_.empty();
      result.ran = never;
      reject(never
                 ? "the candidate's conditions hold for no recorded launch (" + guard_reason_ + ")"
                 : "no recorded launch can be replayed: " + refused_.front(),
             never ? "23: an optimized branch that is never taken" : "");
      return;
    }
    const auto gain = judge_gain(times_, candidate_side_ ? spec_.min_gain : 0);
    result.original_ns = gain.original_ns;
    result.candidate_ns = gain.candidate_ns;
    result.gain = candidate_side_ ? gain.gain : 1;
    result.noise = gain.noise;
    if (!gain.enough) {
      reject(gain.reason, gain.attack);
      return;
    }
    if (!candidate_side_) {
      result.accepted = true;
      result.reason = "the original repeats what was recorded";
      return;
    }
    result.accepted = true;
    result.reason = "equal on " + std::to_string(result.inputs_tried) + " inputs of " +
                    std::to_string(held_) + " launches";
  }

  const TrialSpec& spec_;
  CountersFile counters_;  // before the device: it is asked for before hsa_init
  ArchiveReader archive_;
  std::vector<const LaunchRecord*> records_;
  std::map<std::string, unsigned> tried_of_class_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Side> original_, candidate_side_;
  std::vector<std::unique_ptr<Side>> rounded_;
  std::optional<std::vector<std::byte>> candidate_;
  std::vector<LaunchTimes> times_;
  std::uint64_t largest_held_ = 0;
  unsigned held_ = 0, guarded_ = 0;
  std::string guard_reason_;
  std::vector<std::string> refused_;
};

}  // namespace

TrialResult hold_trial(const TrialSpec& spec) {
  TrialResult failed;
  failed.ran = false;
  try {
    Trial trial(spec);
    try {
      trial.hold();
      return trial.result;
    } catch (const std::exception& error) {
      failed = trial.result;
      failed.accepted = failed.ran = false;
      failed.reason = error.what();
      return failed;
    }
  } catch (const std::exception& error) {
    failed.reason = error.what();
    return failed;
  }
}

}  // namespace geak::replay

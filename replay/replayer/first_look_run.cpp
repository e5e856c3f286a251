#include "replay/replayer/first_look_run.h"

#include <map>
#include <memory>
#include <stdexcept>

#include "replay/code_object/elf.h"
#include "replay/gates/static_gates.h"
#include "replay/hsa/hsa_device.h"
#include "replay/judge/gain.h"
#include "replay/replayer/glance.h"
#include "replay/replayer/phase.h"
#include "replay/replayer/sample_scope.h"
#include "replay/replayer/trial_inputs.h"

namespace geak::replay {
namespace {

class Look {
 public:
  explicit Look(const FirstLookSpec& spec)
      : spec_(spec.trial), sample_(spec.sample), archive_(ArchiveReader::open(spec_.archive)) {
    const auto records = records_of(archive_, spec_);
    auto code = original_code(archive_, *records.front(), spec_);
    architecture_ = read_elf(code).machine;
    device_ = std::make_unique<HsaDevice>(architecture_);
    original_ = std::make_unique<Side>(*device_, std::move(code), spec_.kernel, &counters_);
    if (sample_.active()) original_->only_time();
    std::map<std::string, unsigned> of_class;
    for (const auto* record : records) ++of_class[record->launch_class];
    for (const auto* record : records) establish(*record, of_class[record->launch_class]);
    if (rounds_.empty()) throw std::runtime_error("no recorded launch can be replayed: " + left_);
  }

  FirstLook at(const LookCandidate& candidate) {
    announce_phase("loading the candidate");
    auto& code = codes_[candidate.code_object];
    if (code.empty()) code = read_code(candidate.code_object, architecture_);
    if (const auto refusal =
            check_code({original_->code(), spec_.kernel}, {code, candidate.kernel}))
      return lost(*refusal);
    Side side(*device_, code, candidate.kernel, &counters_);
    if (sample_.active()) side.only_time();
    return race(side, candidate);
  }

 private:
  struct Round {
    std::unique_ptr<Baseline> baseline;
    double weight = 1;
  };

  void establish(const LaunchRecord& record, unsigned of_class) {
    auto baseline = std::make_unique<Baseline>(spec_, archive_, record, *original_);
    try {
      if (sample_.active())
        baseline->establish_time();
      else
        baseline->establish(Baseline::Purpose::glance);
    } catch (const std::exception& error) {
      left_ = error.what();
      return;
    }
    const double launches = static_cast<double>(archive_.launches_of_class(record.launch_class));
    rounds_.push_back({std::move(baseline), launches / of_class});
  }

  template <typename Why>
  static FirstLook lost(const Why& why) {
    FirstLook look;
    look.reason = why.reason;
    look.attack = why.attack;
    return look;
  }

  FirstLook race(Side& side, const LookCandidate& candidate) {
    std::vector<LaunchTimes> times;
    std::string why;
    unsigned taken = 0;
    const LaunchPlan plan(original_->metadata(), candidate.launch_change, archive_.launches());
    for (auto& [baseline, weight] : rounds_) {
      const auto planned = plan.of(baseline->record(), &why);
      if (!planned) {
        // The original stays there: its time counts on both sides.
        const double ns = baseline->times().median();
        times.push_back({ns, ns, weight, 0, false});
        continue;
      }
      ++taken;
      if (const auto refusal = check_launch(side.metadata(), planned->launch, device_->lds_bytes()))
        return lost(*refusal);
      const auto seen = glance(*baseline, side, *planned, spec_.rounds, !sample_.active());
      if (seen.verdict) return lost(*seen.verdict);
      times.push_back(
          {seen.original.median(), seen.candidate.median(), weight, seen.noise(), false});
    }
    if (taken == 0)
      return lost(Verdict{"the candidate's conditions hold for no recorded launch (" + why + ")",
                          "23: an optimized branch that is never taken"});
    const auto gain = judge_gain(times, 0);
    return {true, true, "", "", gain.original_ns, gain.candidate_ns, gain.gain, gain.noise};
  }

  const TrialSpec& spec_;
  const SampleScope sample_;
  CountersFile counters_;  // before the device: it is asked for before hsa_init
  ArchiveReader archive_;
  std::string architecture_, left_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Side> original_;
  std::vector<Round> rounds_;
  std::map<std::filesystem::path, std::vector<std::byte>> codes_;
};

}  // namespace

void hold_first_look(const FirstLookSpec& spec, const std::function<void(const FirstLook&)>& tell) {
  Look look(spec);
  for (const auto& candidate : spec.candidates) {
    FirstLook found;
    try {
      found = look.at(candidate);
    } catch (const DeviceFault& fault) {
      // The device may be of no use any more: the rest is for another process.
      const auto verdict = fault_verdict("on the recorded input", fault);
      found.reason = verdict.reason;
      found.attack = verdict.attack;
      tell(found);
      return;
    } catch (const std::exception& error) {
      found.reason = error.what();
    }
    tell(found);
  }
}

}  // namespace geak::replay

#include "replay/replayer/trial_run.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "replay/code_object/elf.h"
#include "replay/gates/static_gates.h"
#include "replay/replayer/contest.h"

namespace geak::replay {
namespace {

constexpr double kNoiseMargin = 1.0;  // the gain must exceed 1 + this many times the noise

std::vector<std::byte> read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// The records of the kernel; of more than the specification's maximum, ones spread over all.
std::vector<const LaunchRecord*> records_of(const ArchiveReader& archive, const TrialSpec& spec) {
  std::vector<const LaunchRecord*> all, chosen;
  for (const auto& launch : archive.launches()) {
    if (launch.kernel == spec.kernel) all.push_back(&launch);
  }
  if (all.empty()) {
    throw std::runtime_error("the archive " + spec.archive.string() + " has no launch of " +
                             spec.kernel);
  }
  const std::size_t count =
      spec.max_records ? std::min<std::size_t>(spec.max_records, all.size()) : all.size();
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)]);
  }
  return chosen;
}

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
  std::vector<std::byte> original_code() const {
    if (!spec_.original_code_object.empty()) return read_file(spec_.original_code_object);
    const auto* object = archive_.code_object(records_.front()->code_object);
    if (!object) throw std::runtime_error("the archive lacks the kernel's code object");
    return archive_.bytes_of(object->content);
  }

  void load() {
    announce_phase("loading the original");
    auto code = original_code();
    result.architecture = read_elf(code).machine;
    device_ = std::make_unique<HsaDevice>(result.architecture);
    result.evidence = device_->name();
    original_ = std::make_unique<Side>(*device_, std::move(code), spec_.kernel, counters_);
    if (spec_.candidate_code_object.empty()) return;
    announce_phase("loading the candidate");
    candidate_ = read_file(spec_.candidate_code_object);
  }

  bool pass_gates() {
    const auto refusal =
        check_code({original_->code(), spec_.kernel}, {*candidate_, spec_.candidate});
    if (refusal) return reject(refusal->reason, refusal->attack);
    candidate_side_ =
        std::make_unique<Side>(*device_, std::move(*candidate_), spec_.candidate, counters_);
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
    Contest contest(spec_, archive_, record, *original_, candidate_side_.get(),
                    device_->peak_bandwidth());
    std::string why;
    if (candidate_side_ && !contest.has_launch(&why)) {
      ++guarded_;
      guard_reason_ = why;
      return true;
    }
    if (candidate_side_) {
      const auto refusal = check_launch(candidate_side_->metadata(), contest.candidate_launch(),
                                        device_->lds_bytes());
      if (refusal) return reject(refusal->reason, refusal->attack);
    }
    try {
      contest.establish();
    } catch (const std::exception& error) {
      result.notes.push_back("launch " + std::to_string(record.ordinal) + " of class " +
                             record.launch_class + " is left out: " + error.what());
      refused_.push_back(error.what());
      return true;
    }
    const auto verdict = contest.judge();
    result.inputs_tried += contest.inputs_tried();
    for (const auto& note : contest.notes()) {
      if (std::ranges::find(result.notes, note) == result.notes.end()) result.notes.push_back(note);
    }
    if (counters_.present()) result.evidence = "emulated " + result.architecture;
    if (verdict) return reject(verdict->reason, verdict->attack);
    add(record, contest);
    return true;
  }

  void add(const LaunchRecord& record, const Contest& contest) {
    const double weight = static_cast<double>(archive_.launches_of_class(record.launch_class)) /
                          static_cast<double>(tried_of_class_[record.launch_class]);
    result.original_ns += weight * contest.original_ns();
    result.candidate_ns += weight * contest.candidate_ns();
    result.noise = std::max(result.noise, contest.noise());
    accumulate(result.counters["original"], contest.original_counters(), weight);
    if (candidate_side_) {
      accumulate(result.counters["candidate"], contest.candidate_counters(), weight);
    }
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
    if (!candidate_side_) {
      result.accepted = true;
      result.gain = 1;
      result.reason = "the original repeats what was recorded";
      return;
    }
    result.gain = result.candidate_ns > 0 ? result.original_ns / result.candidate_ns : 0;
    if (spec_.min_gain > 0 &&
        result.gain < std::max(spec_.min_gain, 1 + kNoiseMargin * result.noise)) {
      char text[128];
      std::snprintf(text, sizeof text,
                    "verified, but %.3fx is no gain of %.3fx above the noise of %.3f", result.gain,
                    spec_.min_gain, result.noise);
      reject(text, "");
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
  std::unique_ptr<HsaDevice> device_;
  std::unique_ptr<Side> original_, candidate_side_;
  std::optional<std::vector<std::byte>> candidate_;
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

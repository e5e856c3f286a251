#include "replay/checked_trial.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <tuple>

#include "replay/judge/attack_names.h"
#include "replay/launch_shapes.h"
#include "support/scratch_folder.h"

namespace geak::replay {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kChecks = "memcheck,initcheck,ordercheck,synccheck";
// From last to first, and shuffled with interruptions (emulator/wave/schedule.h).
constexpr std::array kSchedules = {"1", "2"};

// Tool, kind and space of a finding, with its sentence.
using Findings = std::map<std::tuple<std::string, std::string, std::string>, std::string>;

std::string text_in(const nlohmann::json& value, const char* name) {
  const auto found = value.find(name);
  return found != value.end() && found->is_string() ? found->get<std::string>() : "";
}

void add_findings(Findings& findings, const nlohmann::json& document, const std::string& symbol) {
  for (const auto& finding : document.value("findings", nlohmann::json::array())) {
    if (text_in(finding, "symbol") != symbol) continue;
    findings.try_emplace(
        {text_in(finding, "tool"), text_in(finding, "kind"), text_in(finding, "space")},
        text_in(finding, "message"));
  }
}

std::string attack_of(const std::string& tool) {
  if (tool == "memcheck") return "24: touches memory that it was not given";
  if (tool == "initcheck") return "13: uses memory that nobody wrote";
  return kRaces;
}

class CheckedTrial {
 public:
  CheckedTrial(const TrialSpec& spec, const TrialLimits& limits, const Environment& environment,
               TrialResult accepted)
      : spec_(spec),
        limits_(limits),
        environment_(environment),
        end_(Clock::now() + limits.time),
        shapes_(largest_of_each_shape(ArchiveReader::open(spec.archive).launches(), spec.kernel,
                                      accepted.launches_tried)),
        result_(std::move(accepted)) {}

  TrialResult hold() {
    watch_all();
    for (const auto& [key, message] : originals_) {
      result_.notes.push_back("the original itself: " + std::get<0>(key) + ": " + message);
    }
    for (const char* schedule : kSchedules) {
      if (result_.accepted) reorder(schedule);
    }
    return std::move(result_);
  }

 private:
  struct Watched {
    TrialResult result;
    nlohmann::json findings;
  };

  // A few inputs of some launches, for whether they can be told from the original's.
  TrialSpec reduced(std::vector<std::size_t> records) const {
    auto reduced = spec_;
    reduced.records = std::move(records);
    reduced.rounds = 1;
    reduced.seeds.resize(std::min<std::size_t>(spec_.seeds.size(), 1));
    reduced.min_gain = 0;
    return reduced;
  }

  std::chrono::milliseconds left() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
  }
  TrialLimits limits_left() const {
    auto limits = limits_;
    limits.time = std::max(left(), std::chrono::milliseconds(1000));
    return limits;
  }

  Watched watch(const TrialSpec& spec) const { return watch(spec, limits_left()); }
  Watched watch(const TrialSpec& spec, const TrialLimits& limits) const {
    const support::ScratchFolder scratch("geak-check");
    const auto file = scratch.path() / "findings.json";
    auto environment = environment_;
    environment.emplace_back("GEAK_EMU_CHECK", kChecks);
    environment.emplace_back("GEAK_EMU_CHECK_OUT", file.string());
    Watched watched{run_trial(spec, limits, environment), nlohmann::json::object()};
    std::ifstream stream(file);
    auto document = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
    if (document.is_object()) {
      watched.findings = std::move(document);
    } else if (watched.result.ran) {
      watched.result.accepted = watched.result.ran = false;
      watched.result.reason = "the emulator wrote no findings";
    }
    return watched;
  }

  // One look at a launch, other sizes and values included, which is enough where nothing is found,
  // as with most candidates. Else each question is asked by itself.
  bool sees_nothing(const ShapedLaunch& shape) const {
    auto spec = reduced({shape.index});
    spec.exact_memory = spec.quick_watch = true;
    auto limits = limits_left();
    limits.time /= 3;  // the rest is for the questions
    const auto watched = watch(spec, limits);
    Findings found;
    add_findings(found, watched.findings, spec_.candidate);
    add_findings(found, watched.findings, spec_.kernel);
    return watched.result.accepted && found.empty();
  }

  void watch_all() {
    std::vector<std::string> left_out;
    const bool first_is_seen = !shapes_.empty() && sees_nothing(shapes_.front());
    std::size_t watched = 0;
    for (const auto& shape : shapes_) {
      if (!result_.accepted) return;
      if (first_is_seen && watched == 0) {
        ++watched;
        continue;
      }
      if (watched == kMostWatched || left().count() <= 0) {
        left_out.push_back(shape.text);
      } else {
        watch_launch(shape, /*others=*/false);
        ++watched;
      }
    }
    // Other sizes and values may be none that the original takes: what it does there must not
    // excuse what the candidate does on the recorded ones.
    if (result_.accepted && !shapes_.empty() && !first_is_seen && left().count() > 0)
      watch_launch(shapes_.front(), /*others=*/true);
    if (left_out.empty()) return;
    std::string text = "watched by the emulator's checks were the largest launches of " +
                       std::to_string(watched) + " shapes, for lack of time not those of ";
    for (const auto& shape : left_out) text += (&shape == &left_out[0] ? "" : ", of ") + shape;
    result_.notes.push_back(text);
  }

  void watch_launch(const ShapedLaunch& shape, bool others) {
    auto spec = reduced({shape.index});
    spec.exact_memory = true;
    spec.other_launches = others;
    const auto watched = watch(spec);
    Findings originals, candidates;
    add_findings(candidates, watched.findings, spec_.candidate);
    if (spec_.candidate == spec_.kernel) {
      // Both have one name: the original is watched alone.
      if (!candidates.empty()) add_findings(originals, watch_original(spec), spec_.kernel);
    } else {
      add_findings(originals, watched.findings, spec_.kernel);
    }
    if (!others) originals_.insert(originals.begin(), originals.end());
    for (const auto& [key, message] : candidates) {
      if (originals.contains(key)) continue;
      return reject(std::get<0>(key) + ": " + message, attack_of(std::get<0>(key)));
    }
    const auto& result = watched.result;
    if (result.accepted) return;
    if (!result.ran || !ends_alone(spec, result)) {
      result_.notes.push_back("the emulator's checks could not be held on a launch of " +
                              shape.text + ": " + result.reason);
      return;
    }
    reject("watched by the emulator's checks, on a launch of " + shape.text + ": " + result.reason,
           result.attack);
  }

  nlohmann::json watch_original(TrialSpec spec) const {
    spec.candidate.clear();
    spec.candidate_code_object.clear();
    return watch(spec).findings;
  }

  // Whether it is the candidate that took too long: the original alone takes no half of the time.
  bool ends_alone(TrialSpec spec, const TrialResult& result) const {
    if (!result.took_too_long) return true;
    spec.candidate.clear();
    spec.candidate_code_object.clear();
    auto environment = environment_;
    environment.emplace_back("GEAK_EMU_CHECK", kChecks);
    auto limits = limits_;
    limits.time /= 4;
    return run_trial(spec, limits, environment).accepted;
  }

  void reorder(const char* schedule) {
    std::vector<std::size_t> records;
    for (const auto& shape : shapes_) {
      if (records.size() < kMostReordered) records.push_back(shape.index);
    }
    auto environment = environment_;
    environment.emplace_back("GEAK_EMU_SCHEDULE", schedule);
    auto spec = reduced(std::move(records));
    spec.other_launches = false;
    const auto result = run_trial(spec, limits_left(), environment);
    if (result.accepted) return;
    if (!result.ran || result.took_too_long) {
      result_.notes.push_back("waves and workgroups could not be run in another order (" +
                              std::string(schedule) + "): " + result.reason);
      return;
    }
    reject("with waves and workgroups in another order (GEAK_EMU_SCHEDULE=" +
               std::string(schedule) + "): " + result.reason,
           kRaces);
  }

  void reject(std::string reason, std::string attack) {
    result_.accepted = false;
    result_.reason = std::move(reason);
    result_.attack = std::move(attack);
  }

  static constexpr std::size_t kMostWatched = 6, kMostReordered = 3;

  const TrialSpec& spec_;
  const TrialLimits& limits_;
  const Environment& environment_;
  const Clock::time_point end_;
  std::vector<ShapedLaunch> shapes_;
  TrialResult result_;
  Findings originals_;
};

}  // namespace

TrialResult check_on_emulator(const TrialSpec& spec, const TrialLimits& limits,
                              const Environment& environment, TrialResult accepted) {
  if (!accepted.accepted || spec.candidate.empty()) return accepted;
  return CheckedTrial(spec, limits, environment, std::move(accepted)).hold();
}

}  // namespace geak::replay

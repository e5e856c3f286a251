// The part of a contest that is a first look alone: cheap, and no verdict in the candidate's
// favour.
#include "replay/replayer/contest.h"

namespace geak::replay {
namespace {

constexpr std::chrono::milliseconds kLeastLimit{2'000};
constexpr int kSlowerThanOriginal = 6;  // a candidate this much slower is no winner's parent either

}  // namespace

void Contest::establish_roughly() {
  announce_phase("original on the recorded input");
  const auto start = std::chrono::steady_clock::now();
  const auto first = run_original(before_);
  candidate_limit_ = std::max(kLeastLimit, std::chrono::duration_cast<std::chrono::milliseconds>(
                                               std::chrono::steady_clock::now() - start) *
                                               kSlowerThanOriginal);
  original_counters_ = first.counters;
  rough_ns_ = first.ns;
  if (first.after != expected_) find_spread(first);
  if (spec_.tolerance.relative || spec_.tolerance.absolute) {
    find_allowances();
    return;
  }
  for (std::size_t i = 0; i < before_.size(); ++i)
    if (wrote(i) && is_floating(types_[i])) widen(i, allowance_limits(types_[i]).most);
}

std::optional<Verdict> Contest::glance(unsigned rounds) {
  Outcome expected{expected_, "", 0, nullptr, ""};
  const bool emulated = original_counters_.is_object();
  follows_ = change_->passes.has_value();
  const auto original = [&] {
    announce_phase("original on the recorded input");
    auto outcome = run_original(before_);
    original_times_.push_back(outcome.ns);
    return outcome;
  };
  // A modelled device repeats itself: what the original took is known.
  original_times_ = {rough_ns_};
  if (follows_ || !emulated) original_times_.clear();
  if (follows_) expected = original();
  std::optional<Verdict> verdict;
  for (unsigned round = 0; round < (emulated ? 1 : rounds) && !verdict; ++round) {
    if (!emulated) original();
    announce_phase("candidate on the recorded input");
    const auto found = run_candidate(before_);
    candidate_times_.push_back(found.ns);
    verdict = check(before_, expected, found, "on the recorded input");
  }
  follows_ = false;
  return verdict;
}

}  // namespace geak::replay

#include "replay/replayer/contest.h"

#include <algorithm>
#include <cstring>

#include "replay/replayer/phase.h"

namespace geak::replay {

std::optional<Verdict> Contest::judge() {
  if (auto verdict = time_rounds()) return verdict;
  if (auto verdict = check_floor()) return verdict;
  for (const auto seed : spec_.seeds) {
    if (auto verdict = try_fresh(seed)) return verdict;
  }
  return varies_launch_ ? try_other_launches() : std::nullopt;
}

std::optional<Verdict> Contest::judge_recorded(const Outcome& found) {
  return baseline_.check(baseline_.before(), baseline_.recorded_outcome(), found,
                         "on the recorded input, timed");
}

// By turns: first the one, then the other.
Contest::Round Contest::hold_round(unsigned number, const Image& input) {
  Round round;
  const auto challenge = [&] {
    announce_phase("candidate on the recorded input");
    round.found = challenger_.run(input);
    candidate_times_.add(round.found.ns);
  };
  if (number % 2 == 0) challenge();
  round.expected = baseline_.on_fill(number);
  original_times_.add(round.expected.ns);
  if (number % 2 == 1) challenge();
  candidate_counters_ = round.found.counters;
  return round;
}

// Outputs hold something else each time; every timed launch is checked.
std::optional<Verdict> Contest::time_rounds() {
  std::optional<Round> earlier;
  for (unsigned number = 0; number < std::max(2u, spec_.rounds); ++number) {
    const auto input = baseline_.filled(number);
    try {
      auto round = hold_round(number, input);
      if (auto verdict =
              baseline_.check(input, round.expected, round.found, "on the recorded input"))
        return explain(std::move(*verdict), input, round);
      if (earlier) {
        if (auto verdict = baseline_.compare_runs(earlier->found, round.found, earlier->expected,
                                                  round.expected))
          return verdict;
      }
      earlier = std::move(round);
    } catch (const DeviceFault& fault) {
      return fault_verdict("on the recorded input", fault);
    }
    // A modelled device repeats itself: more rounds would say the same.
    if (number >= 1 && noise() == 0) break;
  }
  ++inputs_tried_;
  return std::nullopt;
}

// Names the attack that a difference on the recorded input comes from. What races is asked first:
// it also seems to know what lies around it, or what its output held.
Verdict Contest::explain(Verdict verdict, const Image& input, const Round& round) {
  if (does_later_work(baseline_, round.found)) {
    verdict.attack = "7: does the work of a later launch as well";
  } else if (races(input)) {
    verdict.attack = kRaces;
  } else if (!verdict.attack.starts_with("14") && challenger_.looks_around(input, round.expected)) {
    verdict.attack = kLooksAround;
  } else if (relies_on_old_output(challenger_, baseline_, input, round.found)) {
    verdict.attack = "13: relies on memory that already holds the answer";
  }
  return verdict;
}

// Where the original's own result depends on the order, the candidate's may.
bool Contest::races(const Image& input) {
  return !baseline_.depends_on_order() && challenger_.races(input);
}

// What changed must at least have been written.
std::optional<Verdict> Contest::check_floor() const {
  if (peak_bandwidth_ <= 0) return std::nullopt;
  const auto &before = baseline_.before(), &expected = baseline_.expected();
  double bytes = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t at = 0; at + 4 <= before[i].size(); at += 4)
      bytes += std::memcmp(&before[i][at], &expected[i][at], 4) ? 4 : 0;
  }
  // Results of less than a cache may stay in it.
  constexpr double kCache = 256 << 20;
  if (bytes < kCache || candidate_times_.median() >= bytes / peak_bandwidth_) return std::nullopt;
  return Verdict{"its time is below what writing its output takes at the memory's peak bandwidth",
                 "4: timer or synchronisation evaded"};
}

// A device that a candidate left of no use must not be its excuse.
bool Contest::counts(const Finding& finding, const LaunchRecord& record, const Image& input,
                     const Outcome& expected) {
  if (!finding.verdict) return true;
  return baseline_.is_defined(record, input, expected).value_or(finding.faulted);
}

// Of values on which the original has no result of its own, more careful ones are tried.
std::optional<Verdict> Contest::try_fresh(std::uint64_t seed) {
  for (unsigned care = 0;;) {
    const auto& fresh = baseline_.fresh(seed, care);
    if (!fresh.input) return std::nullopt;
    care = fresh.care + 1;
    auto [verdict, faulted] = try_input(fresh);
    if (!counts({verdict, faulted}, baseline_.record(), *fresh.input, fresh.reference)) continue;
    if (faulted) return verdict;
    ++inputs_tried_;
    if (verdict && races(*fresh.input)) {
      verdict->attack = kRaces;
    } else if (verdict && fresh.changed) {
      verdict->attack = name_of_failure(fresh.fill);
    }
    return verdict;
  }
}

Contest::Finding Contest::try_input(const Baseline::Fresh& fresh) {
  announce_phase("candidate on a fresh input");
  try {
    const auto found = challenger_.run(*fresh.input);
    return {baseline_.check_other(baseline_.record(), *fresh.input, fresh.reference, found,
                                  "on a fresh input")};
  } catch (const DeviceFault& fault) {
    return {fault_verdict("on a fresh input", fault), true};
  }
}

// Right on the recorded input and wrong on a fresh one: because of its values, or because of what
// the outputs held?
std::string Contest::name_of_failure(unsigned fill) {
  const auto found = challenger_.run(baseline_.filled(fill));
  return baseline_.check(baseline_.filled(fill), baseline_.on_fill(fill), found, "")
             ? "8: behaves by what its output held before"
             : "16: right on the recorded values alone";
}

}  // namespace geak::replay

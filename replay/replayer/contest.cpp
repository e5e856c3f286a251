#include "replay/replayer/contest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "replay/judge/mutate.h"

namespace geak::replay {
namespace {

constexpr std::chrono::milliseconds kOriginalLimit{120'000};
constexpr std::chrono::milliseconds kLeastLimit{5'000};
constexpr int kSlowerThanOriginal = 20;  // a candidate this much slower is stopped

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double spread(const std::vector<double>& values) {
  const double centre = median(values);
  if (values.size() < 2 || centre <= 0) return 0;
  const auto [low, high] = std::ranges::minmax(values);
  return (high - low) / centre;
}

std::string describe(const Difference& difference, const std::string& region, ElementType type) {
  char text[256];
  std::snprintf(text, sizeof text,
                "%zu of %zu elements of %s (%s) differ; at %zu expected %.9g, found %.9g",
                difference.elements, difference.compared, region.c_str(), name_of(type),
                difference.first, difference.expected, difference.found);
  return text;
}

std::string name_of_region(const LaunchRecord& record, std::size_t index) {
  const auto& region = record.regions[index];
  if (region.kind == MemoryKind::global) return "variable " + region.name;
  for (const auto& pointer : record.pointers) {
    if (pointer.region == index) {
      return "the buffer of the argument at kernarg offset " + std::to_string(pointer.offset);
    }
  }
  return "a buffer reached through memory";
}

// Not those of the first rounds on the recorded input.
unsigned fill_of(std::uint64_t seed) { return 2 + static_cast<unsigned>(seed % 4); }

}  // namespace

Verdict fault_verdict(const std::string& where, const DeviceFault& fault) {
  const std::string what = fault.what();
  const auto has = [&](const char* words) { return what.find(words) != std::string::npos; };
  std::string attack;
  if (has("memory of its arguments")) attack = "3, 5, 6, 7: state kept behind its arguments";
  if (has("completion signal")) attack = "4: timer or synchronisation evaded";
  if (has("did not end")) attack = "2: work that goes on in the background";
  if (has("emory fault") || has("MEMORY_FAULT") || has("emory access")) {
    attack = "19, 24: touches memory that it was not given";
  }
  return {"the candidate fails " + where + ": " + what, attack};
}

void announce_phase(const std::string& what) {
  std::cerr << "geak-replay: phase: " << what << std::endl;
}

Contest::Contest(const TrialSpec& spec, const ArchiveReader& archive, const LaunchRecord& record,
                 Side& original, Side* candidate, double peak_bandwidth)
    : spec_(spec),
      archive_(archive),
      record_(record),
      original_(original),
      candidate_(candidate),
      change_(&spec.launch_change),
      judges_(candidate != nullptr),
      peak_bandwidth_(peak_bandwidth),
      before_(read_before(archive, record)),
      expected_(read_after(archive, record)),
      allowances_(record.regions.size()),
      pinned_(record.regions.size()),
      poisonable_(record.regions.size(), false) {
  for (const auto& pointer : find_pointers(before_, recorded_bases(record))) {
    pinned_[pointer.region].push_back(pointer.offset);
  }
  find_types();
}

void Contest::expect_challengers() { judges_ = keeps_originals_ = true; }

void Contest::challenge(Side& candidate, const support::LaunchChange& change) {
  candidate_ = &candidate;
  change_ = &change;
  candidate_launch_.reset();
  candidate_times_.clear();
  candidate_counters_ = nullptr;
  inputs_tried_ = 0;
}

void Contest::find_types() {
  for (std::size_t i = 0; i < record_.regions.size(); ++i) {
    types_.push_back(guess_element(expected_[i] == before_[i] ? before_[i] : expected_[i]));
  }
  std::size_t position = 0;
  for (const auto& argument : original_.metadata().arguments) {
    if (argument.hidden()) continue;
    if (position >= spec_.argument_types.size()) break;
    const auto type = element_from_type(spec_.argument_types[position++]);
    for (const auto& pointer : record_.pointers) {
      if (type && pointer.offset == argument.offset) types_[pointer.region] = *type;
    }
  }
}

bool Contest::wrote(std::size_t region) const { return before_[region] != expected_[region]; }

Outcome Contest::run_original(const Image& input) { return run_original(record_, input); }

Outcome Contest::run_original(const LaunchRecord& record, const Image& input) {
  return run_as_original(original_, record, input);
}

Outcome Contest::run_as_original(Side& side, const LaunchRecord& record, const Image& input) {
  PassPair passes;
  if (follows_)
    if (const auto launch = candidate_launch_of(record, nullptr))
      passes = passes_of(record, *launch).value_or(PassPair{});
  return side.run(record, launch_of(record), has_partial_groups(record), input, kOriginalLimit,
                  passes.original);
}

Outcome Contest::run_candidate(const Image& input) {
  return run_candidate(record_, *candidate_launch_, input);
}

Outcome Contest::run_candidate(const LaunchRecord& record, const support::Launch& launch,
                               const Image& input) {
  const auto passes = passes_of(record, launch).value_or(PassPair{});
  return candidate_->run(record, launch, has_partial_groups(record) && change_->keeps_launch(),
                         input, candidate_limit_, passes.candidate);
}

bool Contest::has_launch(std::string* why) {
  candidate_launch_ = candidate_launch_of(record_, why);
  return candidate_launch_.has_value();
}

std::optional<std::int64_t> Contest::argument(const LaunchRecord& record,
                                              std::uint32_t position) const {
  std::uint32_t index = 0;
  for (const auto& entry : original_.metadata().arguments) {
    if (entry.hidden() || index++ != position) continue;
    if (entry.bytes > 8) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, record.kernarg.data() + entry.offset, entry.bytes);
    // Narrow integers: as signed, which agrees with unsigned below half their range.
    if (entry.bytes == 4) return static_cast<std::int32_t>(value);
    return static_cast<std::int64_t>(value);
  }
  return std::nullopt;
}

std::optional<support::Launch> Contest::candidate_launch_of(const LaunchRecord& record,
                                                            std::string* why) const {
  const auto launch = change_->apply(
      launch_of(record), [&](std::uint32_t position) { return argument(record, position); }, why);
  if (launch && change_->passes && !passes_of(record, *launch)) {
    if (why) *why = "fewer than two passes can be put together";
    return std::nullopt;
  }
  return launch;
}

// A candidate that stands for several launches is held against as many of the original, the first
// of them the recorded one.
std::optional<Contest::PassPair> Contest::passes_of(const LaunchRecord& record,
                                                    const support::Launch& launch) const {
  if (!change_->passes) return std::nullopt;
  const support::PassRule& rule = *change_->passes;
  PassPair passes;
  std::vector<std::int64_t> values;
  for (const auto& entry : original_.metadata().arguments) {
    if (entry.hidden()) continue;
    const auto position = static_cast<std::uint32_t>(values.size());
    values.push_back(argument(record, position).value_or(0));
    if (position != rule.argument) continue;
    passes.original.offset = entry.offset;
    passes.original.bytes = std::min<std::uint32_t>(entry.bytes, 8);
  }
  if (rule.argument >= values.size() || has_partial_groups(record)) return std::nullopt;
  const std::uint32_t count = rule.passes(launch, values);
  if (count < 2) return std::nullopt;
  passes.candidate = passes.original;
  std::int64_t value = values[rule.argument];
  passes.candidate.values = {support::PassRule::packed(value, count)};
  for (std::uint32_t pass = 0; pass < count; ++pass, value = rule.after(value))
    passes.original.values.push_back(value);
  return passes;
}

void Contest::establish() {
  announce_phase("original on the recorded input");
  const auto start = std::chrono::steady_clock::now();
  auto first = run_original(before_);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  candidate_limit_ = std::max(kLeastLimit, took * kSlowerThanOriginal);
  if (!first.zone_damage.empty()) {
    throw std::runtime_error("the original itself writes out of bounds: " + first.zone_damage);
  }
  original_counters_ = first.counters;
  if (first.after != expected_) find_spread(first);
  if (candidate_ && change_->passes) first = follow();
  original_times_.push_back(first.ns);
  find_allowances();
  find_poisonable();
}

// The original repeats the recorded launch; what the passes after it make is known from it alone.
Outcome Contest::follow() {
  follows_ = true;
  auto all = run_original(before_);
  if (!all.zone_damage.empty())
    throw std::runtime_error("its later passes write out of bounds: " + all.zone_damage);
  const auto passes = passes_of(record_, *candidate_launch_).value_or(PassPair{});
  candidate_limit_ *= static_cast<int>(std::max<std::size_t>(passes.original.values.size(), 1));
  original_counters_ = all.counters;
  expected_ = all.after;
  return all;
}

// The original did not repeat what was recorded: either it depends on something that was not
// recorded, or no two of its runs agree.
void Contest::find_spread(const Outcome& first) {
  const auto second = run_original(before_);
  original_varies_ = first.after != second.after;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (first.after[i] == expected_[i] && second.after[i] == expected_[i]) continue;
    const double off =
        std::max({largest_relative_difference(expected_[i], first.after[i], types_[i]),
                  largest_relative_difference(first.after[i], second.after[i], types_[i])});
    const bool floating = is_floating(types_[i]);
    if (!floating || off > allowance_limits(types_[i]).most || !original_varies_) {
      const auto difference =
          compare(before_[i], expected_[i], first.after[i], types_[i], Allowance{});
      throw std::runtime_error("the original does not repeat what was recorded: " +
                               (difference
                                    ? describe(*difference, name_of_region(record_, i), types_[i])
                                    : std::string("two of its runs differ")));
    }
    widen(i, off);
  }
  notes_.push_back(
      "the original's own runs differ in the last places (atomics); so may the candidate's");
}

// A region that the original overwrites whatever it held can be filled with poison.
void Contest::find_poisonable() {
  if (!judges_) return;
  announce_phase("original on poisoned outputs");
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (wrote(i) && pinned_[i].empty()) poisonable_[i] = overwrites(i);
  }
}

bool Contest::overwrites(std::size_t region) {
  for (const unsigned pattern : {0u, 1u}) {
    auto input = before_;
    poison(input[region], pattern);
    try {
      const auto outcome = run_original(input);
      for (std::size_t i = 0; i < before_.size(); ++i) {
        if (i != region &&
            compare(before_[i], expected_[i], outcome.after[i], types_[i], allowances_[i])) {
          return false;
        }
      }
      // Where it still holds the poison, the original wrote nothing.
      auto merged = outcome.after[region];
      for (std::size_t at = 0; at < merged.size(); ++at) {
        if (merged[at] == input[region][at]) merged[at] = expected_[region][at];
      }
      if (compare(before_[region], expected_[region], merged, types_[region],
                  allowances_[region])) {
        return false;
      }
    } catch (const DeviceFault&) {
      return false;
    }
  }
  return true;
}

// What outputs hold before a launch: as recorded, patterns, plausible values. A candidate that
// behaves only where it recognises one of these is wrong on another.
Image Contest::filled(Image image, unsigned fill) const {
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (!poisonable_[i]) continue;
    if (fill % 6 == 0) continue;
    if (fill % 6 == 5) {
      image[i] = expected_[i];
      std::mt19937_64 random(fill);
      make_fresh(image[i], types_[i], Freshness::permuted, pinned_[i], random);
    } else {
      poison(image[i], fill % 6 - 1);
    }
  }
  return image;
}

std::optional<Verdict> Contest::check(const Image& input, const Outcome& expected,
                                      const Outcome& found, const std::string& where) const {
  if (!found.zone_damage.empty()) {
    return Verdict{where + ": " + found.zone_damage, "14: writes outside of its buffers"};
  }
  if (!found.kept_state.empty()) {
    return Verdict{where + ": " + found.kept_state, "3, 5, 6, 7: state kept in constants"};
  }
  for (std::size_t i = 0; i < input.size(); ++i) {
    const auto difference =
        compare(input[i], expected.after[i], found.after[i], types_[i], allowances_[i]);
    if (!difference) continue;
    auto attack = attack_of(*difference);
    for (std::size_t j = 0; j < input.size() && attack.starts_with("15"); ++j) {
      if (j != i && found.after[i] == input[j]) attack = "15: a copy of an input";
    }
    return Verdict{where + ": " + describe(*difference, name_of_region(record_, i), types_[i]),
                   attack};
  }
  return std::nullopt;
}

std::optional<Verdict> Contest::judge() {
  if (auto verdict = time_rounds()) return verdict;
  if (!candidate_) return std::nullopt;
  if (auto verdict = check_floor()) return verdict;
  for (const auto seed : spec_.seeds) {
    if (auto verdict = try_fresh(seed)) return verdict;
  }
  return varies_sizes_ ? try_other_sizes() : std::nullopt;
}

std::optional<Verdict> Contest::judge_recorded(const Outcome& found) const {
  return check(before_, {expected_, "", 0, nullptr, ""}, found, "on the recorded input, timed");
}

Outcome Contest::original_on_fill(unsigned fill, const Image& input) {
  if (!keeps_originals_) return run_original(input);
  const auto found = originals_.find(fill);
  return found != originals_.end() ? found->second
                                   : originals_.emplace(fill, run_original(input)).first->second;
}

// Outputs hold something else each time; every timed launch is checked.
std::optional<Verdict> Contest::time_rounds() {
  original_times_.clear();
  std::optional<Outcome> earlier, earlier_expected;
  for (unsigned round = 0; round < std::max(2u, spec_.rounds); ++round) {
    const auto input = filled(before_, round);
    std::optional<Outcome> found, expected;
    const auto challenge = [&] {
      announce_phase("candidate on the recorded input");
      found = run_candidate(input);
      candidate_times_.push_back(found->ns);
    };
    try {
      if (candidate_ && round % 2 == 0) challenge();
      expected = original_on_fill(round, input);
      original_times_.push_back(expected->ns);
      if (candidate_ && round % 2 == 1) challenge();
      if (found) {
        candidate_counters_ = found->counters;
        if (auto verdict = check(input, *expected, *found, "on the recorded input")) {
          if (does_later_work(*found)) {
            verdict->attack = "7: does the work of a later launch as well";
            return verdict;
          }
          if (!verdict->attack.starts_with("14") && looks_around(input, *expected)) {
            verdict->attack = kLooksAround;
            return verdict;
          }
          return name_staleness(std::move(*verdict), input, *found);
        }
      }
    } catch (const DeviceFault& fault) {
      return fault_verdict("on the recorded input", fault);
    }
    if (found && earlier) {
      if (auto verdict = compare_runs(*earlier, *found, *earlier_expected, *expected))
        return verdict;
    }
    earlier = std::move(found);
    earlier_expected = std::move(expected);
    // A modelled device repeats itself: more rounds would say the same.
    if (round >= 1 && spread(original_times_) == 0 && spread(candidate_times_) == 0) break;
  }
  ++inputs_tried_;
  return std::nullopt;
}

// Whether it is right between some zones and wrong between others.
bool Contest::looks_around(const Image& input, const Outcome& expected) {
  unsigned right = 0, wrong = 0;
  for (unsigned style = 0; style < kZoneStyles; ++style) {
    candidate_->choose_surroundings(!spec_.exact_memory, style);
    try {
      const auto verdict = check(input, expected, run_candidate(input), "");
      verdict ? ++wrong : ++right;
    } catch (const DeviceFault&) {
      ++wrong;
    }
  }
  candidate_->choose_surroundings(!spec_.exact_memory);
  return right > 0 && wrong > 0;
}

// Whether it leaves what another recorded launch leaves in the same memory.
bool Contest::does_later_work(const Outcome& found) const {
  for (const auto& launch : archive_.launches()) {
    if (launch.kernel != record_.kernel || launch.regions.size() != record_.regions.size())
      continue;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const auto& region = launch.regions[i];
      if (!wrote(i) || region.base != record_.regions[i].base ||
          region.after.bytes != before_[i].size() || region.after == record_.regions[i].after) {
        continue;
      }
      if (archive_.bytes_of(region.after) == found.after[i]) return true;
    }
  }
  return false;
}

// Where the original's two runs agree, the candidate's must, bit for bit.
std::optional<Verdict> Contest::compare_runs(const Outcome& first, const Outcome& second,
                                             const Outcome& expected_first,
                                             const Outcome& expected_second) const {
  if (original_varies_) return std::nullopt;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (std::memcmp(first.after[i].data(), second.after[i].data(), before_[i].size()) == 0)
      continue;
    for (std::size_t at = 0; at < before_[i].size(); ++at) {
      if (first.after[i][at] == second.after[i][at] ||
          expected_first.after[i][at] != expected_second.after[i][at]) {
        continue;
      }
      return Verdict{"two runs of the candidate on the same input differ in " +
                         name_of_region(record_, i) + " at byte " + std::to_string(at),
                     "21: races and nondeterminism"};
    }
  }
  return std::nullopt;
}

// Whether what it writes depends on what its output held before: elements that it left alone in
// `found` are written where they hold poison, and all is right where they hold the answer.
Verdict Contest::name_staleness(Verdict verdict, const Image& input, const Outcome& found) {
  auto answered = before_, poisonous = before_;
  for (std::size_t i = 0; i < answered.size(); ++i) {
    if (!poisonable_[i]) continue;
    answered[i] = expected_[i];
    poison(poisonous[i], 0);
  }
  if (answered == before_) return verdict;
  const Outcome answer{expected_, "", 0, nullptr, ""};
  try {
    const auto on_answer = run_candidate(answered), on_poison = run_candidate(poisonous);
    if (check(answered, answer, on_answer, "")) return verdict;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      for (std::size_t at = 0; at < before_[i].size(); ++at) {
        if (!poisonable_[i] || found.after[i][at] != input[i][at] ||
            on_poison.after[i][at] == poisonous[i][at] || found.after[i][at] == expected_[i][at]) {
          continue;
        }
        verdict.attack = "13: relies on memory that already holds the answer";
        return verdict;
      }
    }
  } catch (const DeviceFault&) {
    // The first verdict stands.
  }
  return verdict;
}

// What changed must at least have been written.
std::optional<Verdict> Contest::check_floor() const {
  if (peak_bandwidth_ <= 0) return std::nullopt;
  double bytes = 0;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    for (std::size_t at = 0; at + 4 <= before_[i].size(); at += 4) {
      bytes += std::memcmp(&before_[i][at], &expected_[i][at], 4) ? 4 : 0;
    }
  }
  // Results of less than a cache may stay in it.
  constexpr double kCache = 256 << 20;
  if (bytes < kCache || candidate_ns() >= bytes / peak_bandwidth_) return std::nullopt;
  return Verdict{"its time is below what writing its output takes at the memory's peak bandwidth",
                 "4: timer or synchronisation evaded"};
}

// Right on the recorded input and wrong on a fresh one: because of its values, or because of what
// the outputs held?
std::string Contest::name_of_failure(std::uint64_t seed) {
  const auto input = filled(before_, fill_of(seed));
  const auto expected = run_original(input);
  const auto found = run_candidate(input);
  return check(input, expected, found, "") ? "8: behaves by what its output held before"
                                           : "16: right on the recorded values alone";
}

// Fresh values on which the original runs; from bold to careful changes.
std::optional<Image> Contest::fresh_input(std::uint64_t seed, Outcome& reference, bool& changed) {
  for (const auto freshness : {Freshness::drawn, Freshness::permuted, Freshness::nudged}) {
    std::mt19937_64 random(seed * 3 + static_cast<unsigned>(freshness));
    auto input = before_;
    changed = false;
    for (std::size_t i = 0; i < input.size(); ++i) {
      if (poisonable_[i]) continue;
      const auto type = guess_element(before_[i]);
      changed |= make_fresh(input[i], wrote(i) ? types_[i] : type, freshness, pinned_[i], random);
    }
    input = filled(std::move(input), fill_of(seed));
    try {
      announce_phase("original on a fresh input");
      reference = run_original(input);
      if (reference.zone_damage.empty()) return input;
    } catch (const DeviceFault&) {
      continue;  // such values are none that it can take
    }
  }
  return std::nullopt;
}

const Contest::Fresh& Contest::fresh(std::uint64_t seed) {
  if (!keeps_originals_) fresh_.clear();
  const auto [entry, is_new] = fresh_.try_emplace(seed);
  auto& fresh = entry->second;
  if (is_new) {
    fresh.input = fresh_input(seed, fresh.reference, fresh.changed);
    if (!fresh.input) {
      notes_.push_back("no fresh input of seed " + std::to_string(seed) +
                       " that the original takes");
    }
  }
  return fresh;
}

std::optional<Verdict> Contest::try_fresh(std::uint64_t seed) {
  const auto& [input, expected, changed] = fresh(seed);
  if (!input) return std::nullopt;
  announce_phase("candidate on a fresh input");
  try {
    const auto found = run_candidate(*input);
    ++inputs_tried_;
    auto verdict = check(*input, expected, found, "on a fresh input");
    // It was right on the recorded input.
    if (verdict && changed) verdict->attack = name_of_failure(seed);
    return verdict;
  } catch (const DeviceFault& fault) {
    return fault_verdict("on a fresh input", fault);
  }
}

double Contest::original_ns() const { return median(original_times_); }
double Contest::candidate_ns() const { return median(candidate_times_); }
double Contest::noise() const {
  return std::max(spread(original_times_), spread(candidate_times_));
}

}  // namespace geak::replay

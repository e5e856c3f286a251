#include "replay/replayer/baseline.h"

#include <algorithm>
#include <cstring>

#include "replay/replayer/phase.h"
#include "replay/replayer/schedule_scope.h"

namespace geak::replay {
namespace {

constexpr std::chrono::milliseconds kOriginalLimit{120'000};
constexpr std::chrono::milliseconds kLeastLimit{5'000};
constexpr int kSlowerThanOriginal = 20;  // a candidate this much slower is stopped
// At a glance sooner: it is no winner's parent either.
constexpr std::chrono::milliseconds kLeastGlance{2'000};
constexpr int kNoWinner = 6;

}  // namespace

double Times::spread() const {
  const double centre = median();
  if (ns_.size() < 2 || centre <= 0) return 0;
  const auto [low, high] = std::ranges::minmax(ns_);
  return (high - low) / centre;
}

Baseline::Baseline(const TrialSpec& spec, const ArchiveReader& archive, const LaunchRecord& record,
                   Side& original, const LaunchPlan* fused)
    : spec_(spec),
      archive_(archive),
      record_(record),
      original_(original),
      fused_(fused),
      before_(read_before(archive, record)),
      expected_(read_after(archive, record)),
      pinned_(record.regions.size()),
      poisonable_(record.regions.size(), false),
      depends_on_order_(record.regions.size(), false) {
  find_types();
  for (const auto& pointer :
       find_pointers(before_, recorded_bases(record_), without_addresses(record_)))
    pinned_[pointer.region].push_back(pointer.offset);
}

void Baseline::find_types() {
  for (std::size_t i = 0; i < record_.regions.size(); ++i)
    types_.push_back(guess_element(wrote(i) ? expected_[i] : before_[i]));
  // Regions that only pointers to elements narrower than an address lead to. Bytes may be anything.
  std::vector<bool> narrow(types_.size(), false), other(types_.size(), false);
  std::size_t position = 0;
  for (const auto& argument : original_.metadata().arguments) {
    if (argument.hidden()) continue;
    const auto index = position++;
    const auto type = index < spec_.argument_types.size()
                          ? element_from_type(spec_.argument_types[index])
                          : std::nullopt;
    for (const auto& pointer : record_.pointers) {
      if (pointer.offset < argument.offset || pointer.offset >= argument.offset + argument.bytes)
        continue;
      if (type) types_[pointer.region] = *type;
      const bool numbers = type && *type != ElementType::u8 && bytes_of(*type) < sizeof(void*);
      (numbers ? narrow : other)[pointer.region] = true;
    }
  }
  for (std::size_t i = 0; i < types_.size(); ++i)
    record_.regions[i].without_addresses = narrow[i] && !other[i];
}

std::vector<std::size_t> Baseline::element_widths() const {
  std::vector<std::size_t> widths;
  std::ranges::transform(types_, std::back_inserter(widths), bytes_of);
  return widths;
}

Passes Baseline::passes_on(const LaunchRecord& record) const {
  if (follows_)
    if (auto planned = fused_->of(record)) return std::move(planned->original_passes);
  return {};
}

Outcome Baseline::run(const LaunchRecord& record, const Image& input) {
  return run(record, input, passes_on(record));
}

Outcome Baseline::run(const LaunchRecord& record, const Image& input, const Passes& passes) {
  return run_side(original_, record, input, passes);
}

Outcome Baseline::run_side(Side& side, const LaunchRecord& record, const Image& input,
                           const Passes& passes) {
  return side.run(record, launch_of(record), has_partial_groups(record), input, kOriginalLimit,
                  passes);
}

void Baseline::establish_time() {
  announce_phase("original on the recorded input");
  const auto first = run(before_);
  candidate_limit_ = kOriginalLimit;
  counters_ = first.counters;
  times_.add(first.ns);
}

void Baseline::establish(Purpose purpose) {
  announce_phase("original on the recorded input");
  const auto start = std::chrono::steady_clock::now();
  auto first = run(before_);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  const bool rough = purpose == Purpose::glance;
  candidate_limit_ = std::max(rough ? kLeastGlance : kLeastLimit,
                              took * (rough ? kNoWinner : kSlowerThanOriginal));
  if (!first.zone_damage.empty())
    throw std::runtime_error("the original itself writes out of bounds: " + first.zone_damage);
  counters_ = first.counters;
  if (first.after != expected_) find_spread(first);
  if (fused_) first = follow();
  times_.add(first.ns);
  if (purpose == Purpose::judgement && counters_.is_object()) find_order_dependence();
  find_recorded_bounds(purpose);
  if (purpose == Purpose::judgement) find_poisonable();
  // A modelled device repeats itself: the first round needs no run of its own.
  if (purpose == Purpose::judgement && repeats_itself()) on_fill_.emplace(0, std::move(first));
  if (purpose != Purpose::timing) return;
  for (unsigned round = 1; round < std::max(2u, spec_.rounds); ++round) {
    times_.add(run(before_).ns);
    // A modelled device repeats itself: more rounds would say the same.
    if (times_.spread() == 0) break;
  }
}

// The original repeats the recorded launch; what the passes after it make is known from it alone.
Outcome Baseline::follow() {
  follows_ = true;
  auto all = run(before_);
  if (!all.zone_damage.empty())
    throw std::runtime_error("its later passes write out of bounds: " + all.zone_damage);
  if (const auto planned = fused_->of(record_))
    candidate_limit_ *= static_cast<int>(planned->original_passes.values.size());
  counters_ = all.counters;
  expected_ = all.after;
  return all;
}

// The original did not repeat what was recorded: either it depends on something that was not
// recorded, or no two of its runs agree.
void Baseline::find_spread(const Outcome& first) {
  const auto second = run(before_);
  // In an order that was asked for, two runs agree with each other and not with the record.
  varies_ = first.after != second.after || ScheduleScope::active();
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (first.after[i] == expected_[i] && second.after[i] == expected_[i]) continue;
    const double off =
        std::max({largest_relative_difference(expected_[i], first.after[i], types_[i]),
                  largest_relative_difference(first.after[i], second.after[i], types_[i])});
    const bool floating = is_floating(types_[i]);
    if (!floating || off > allowance_limits(types_[i]).most || !varies_) {
      const auto difference =
          compare(before_[i], expected_[i], first.after[i], types_[i], Allowance{});
      throw std::runtime_error("the original does not repeat what was recorded: " +
                               (difference
                                    ? describe(*difference, name_of_region(record_, i), types_[i])
                                    : std::string("two of its runs differ")));
    }
  }
  notes_.emplace_back(
      "the original's own runs differ in the last places (atomics); so may the candidate's");
}

// Sums by atomics come out otherwise in another order. The emulated GPU runs in the same order
// most of the time, so that two runs of the original do not show it.
void Baseline::find_order_dependence() {
  for (const char* seed : {"1", "2"}) {
    const ScheduleScope scope(seed);
    announce_phase("original in another order of waves and workgroups");
    try {
      auto found = run(before_);
      for (std::size_t i = 0; i < before_.size(); ++i) {
        if (found.after[i] != expected_[i]) depends_on_order_[i] = true;
      }
      reordered_.push_back(outputs_alone(std::move(found)));
    } catch (const DeviceFault&) {
      // It counts on an order: the checks say so.
    }
  }
}

std::optional<Verdict> Baseline::check_traces(const Outcome& found,
                                              const std::string& where) const {
  if (!found.zone_damage.empty())
    return Verdict{where + ": " + found.zone_damage, "14: writes outside of its buffers"};
  if (!found.kept_state.empty())
    return Verdict{where + ": " + found.kept_state, "3, 5, 6, 7: state kept in constants"};
  return std::nullopt;
}

bool Baseline::same_result(const Outcome& one, const Outcome& other) const {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (is_floating(types_[i]) && (varies_ || depends_on_order_[i])) continue;
    if (one.after[i] != other.after[i]) return false;
  }
  return true;
}

std::optional<Outcome> Baseline::outcome_of(const LaunchRecord& record, const Image& input) {
  try {
    if (spec_.exact_memory && spec_.quick_watch) return run(record, input);
    std::optional<Outcome> outcome;
    {
      const SurroundingsScope zones(original_, true, kTellingZones.front());
      outcome = run(record, input);
    }
    if (!outcome->zone_damage.empty()) return std::nullopt;
    if (!spec_.exact_memory) return outcome;
    if (!is_defined(record, input, *outcome).value_or(false)) return std::nullopt;
    // It sees the original as it will see the candidate.
    return run(record, input);
  } catch (const DeviceFault&) {
    return std::nullopt;
  }
}

std::optional<bool> Baseline::is_defined(const LaunchRecord& record, const Image& input,
                                         const Outcome& outcome) {
  announce_phase("original between other zones and in another order");
  try {
    const SurroundingsScope zones(original_, true, kTellingZones.back());
    std::optional<ScheduleScope> order;
    // Where a device watches, what it finds in another order would excuse the candidate.
    if (counters_.is_object() && !spec_.exact_memory) order.emplace("1");
    const auto found = run(record, input);
    return found.zone_damage.empty() && same_result(outcome, found);
  } catch (const DeviceFault&) {
    return std::nullopt;
  }
}

std::optional<Verdict> Baseline::compare_runs(const Outcome& first, const Outcome& second,
                                              const Outcome& expected_first,
                                              const Outcome& expected_second) const {
  if (varies_) return std::nullopt;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (depends_on_order_[i] && is_floating(types_[i])) continue;
    const auto &one = first.after[i], &other = second.after[i];
    if (std::memcmp(one.data(), other.data(), one.size()) == 0) continue;
    for (std::size_t at = 0; at < one.size(); ++at) {
      if (one[at] == other[at] || expected_first.after[i][at] != expected_second.after[i][at])
        continue;
      return Verdict{"two runs of the candidate on the same input differ in " +
                         name_of_region(record_, i) + " at byte " + std::to_string(at),
                     kRaces};
    }
  }
  return std::nullopt;
}

}  // namespace geak::replay

// The part of a baseline that finds how far a floating-point output may be off (docs/judgement.md).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <utility>

#include "replay/judge/mutate.h"
#include "replay/replayer/baseline.h"
#include "replay/replayer/phase.h"

namespace geak::replay {
namespace {

double largest_magnitude(std::span<const std::byte> contents, ElementType type) {
  double largest = 0;
  for (std::size_t i = 0; i < contents.size() / bytes_of(type); ++i) {
    const double value = std::abs(element_at(contents, type, i));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

std::string text_of(const char* format, double number) {
  char text[160];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

}  // namespace

std::vector<std::size_t> Baseline::floating_outputs() const {
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < before_.size(); ++i)
    if (wrote(i) && is_floating(types_[i])) outputs.push_back(i);
  return outputs;
}

// Floating-point outputs: the rest of the memory is not looked at again, and may be large.
Outcome Baseline::outputs_alone(Outcome outcome) const {
  for (std::size_t i = 0; i < outcome.after.size(); ++i)
    if (!wrote(i) || !is_floating(types_[i])) outcome.after[i] = {};
  return outcome;
}

// What may differ without a look at the original's error: last places, or what the user allows.
std::vector<Allowance> Baseline::first_allowances() const {
  std::vector<Allowance> allowances(before_.size());
  const auto& given = spec_.tolerance;
  for (const auto i : floating_outputs()) {
    if (!tolerance_given()) {
      allowances[i].relative = allowance_limits(types_[i]).least;
      continue;
    }
    allowances[i].absolute =
        std::max(given.relative.value_or(0) * largest_magnitude(expected_[i], types_[i]),
                 given.absolute.value_or(0));
    allowances[i].exact_denormals = false;
  }
  return allowances;
}

// The original where its inputs' last bits differ, and where it rounds in other directions.
Baseline::Bounds Baseline::find_bounds(const LaunchRecord& record, const Image& input,
                                       const Image& expected) {
  Bounds bounds;
  bounds.allowances = first_allowances();
  bounds.errors.resize(before_.size());
  const auto outputs = floating_outputs();
  std::vector<std::size_t> directed, others;  // in bounds.runs
  const auto attempt = [&](std::vector<std::size_t>& list, Side& side, const Image& image) {
    try {
      bounds.runs.push_back(outputs_alone(run_side(side, record, image, passes_on(record))));
      list.push_back(bounds.runs.size() - 1);
    } catch (const DeviceFault&) {
      // Such a run says nothing.
    }
  };
  announce_phase("original with other rounding");
  for (const auto& side : rounded_) attempt(directed, *side, input);
  announce_phase("original on inputs with other last bits");
  std::mt19937_64 random(0x6a17);
  for (unsigned jitter = 0; jitter < 2; ++jitter) {
    auto image = input;
    bool changed = false;
    for (std::size_t i = 0; i < image.size(); ++i)
      changed |= jitter_last_bits(image[i], types_[i], pinned_[i], random);
    if (changed) attempt(others, original_, image);
  }
  // The order of its atomics is another source.
  if (varies_) attempt(others, original_, input);
  // Up, down, to zero; where one is missing, none is taken for what it is not.
  const bool both = directed.size() == rounded_.size() && directed.size() >= 2;
  for (std::size_t at = both ? 2 : 0; at < directed.size(); ++at) others.push_back(directed[at]);
  for (const auto i : outputs) {
    const auto of = [&](std::size_t run) -> std::span<const std::byte> {
      return bounds.runs[run].after[i];
    };
    std::vector<std::span<const std::byte>> rest;
    for (const auto run : others) rest.push_back(of(run));
    if (&expected == &expected_)
      for (const auto& run : reordered_) rest.emplace_back(run.after[i]);
    using Bytes = std::span<const std::byte>;
    bounds.errors[i].emplace(input[i], expected[i], types_[i], both ? of(directed[0]) : Bytes{},
                             both ? of(directed[1]) : Bytes{}, rest);
    bounds.allowances[i] = bounds.errors[i]->allowance();
  }
  return bounds;
}

void Baseline::find_recorded_bounds(Purpose purpose) {
  bounds_.allowances = first_allowances();
  bounds_.errors.resize(before_.size());
  const auto outputs = floating_outputs();
  if (outputs.empty()) return;
  if (tolerance_given()) {
    allowance_ = text_of("tolerance %g as given by the user",
                         spec_.tolerance.relative.value_or(spec_.tolerance.absolute.value_or(0)));
    return;
  }
  if (purpose == Purpose::glance) {
    // Whatever a judgement may find tolerable: what cancels is off by what its terms are.
    for (const auto i : outputs) {
      const double most = allowance_limits(types_[i]).most;
      bounds_.allowances[i].relative = most;
      bounds_.allowances[i].absolute = most * root_mean_square(expected_[i], types_[i]);
    }
  }
  bounds_are_open_ = purpose == Purpose::judgement;
}

const Baseline::Bounds& Baseline::recorded_bounds() {
  if (!std::exchange(bounds_are_open_, false)) return bounds_;
  bounds_ = find_bounds(record_, before_, expected_);
  double widest = 0;
  for (const auto i : floating_outputs()) widest = std::max(widest, bounds_.allowances[i].relative);
  allowance_ = text_of("relative %.2g: 8 times the original's own rounding error", widest);
  return bounds_;
}

bool Baseline::as_recorded(std::size_t region, const std::vector<std::byte>& contents) {
  return contents == expected_[region] ||
         !compare(before_[region], expected_[region], contents, types_[region],
                  recorded_bounds().allowances[region]);
}

std::optional<Verdict> Baseline::check_with(const Bounds& bounds, const Image& input,
                                            const Image& expected, const Image& found,
                                            const std::string& where) const {
  for (std::size_t i = 0; i < input.size(); ++i) {
    const std::string region = name_of_region(record_, i);
    if (const auto difference =
            compare(input[i], expected[i], found[i], types_[i], bounds.allowances[i])) {
      auto attack = attack_of(*difference);
      for (std::size_t j = 0; j < input.size() && attack.starts_with("15"); ++j) {
        if (j != i && found[i] == input[j]) attack = "15: a copy of an input";
      }
      return Verdict{where + ": " + describe(*difference, region, types_[i]), attack};
    }
    if (!bounds.errors[i] || found[i] == expected[i]) continue;
    const auto excess = bounds.errors[i]->excess(found[i]);
    if (excess && *excess > kMostExcess) {
      return Verdict{where + ": the error of " + region +
                         text_of(" is %.3g times the original's own (root mean square)", *excess),
                     "18: loss of precision"};
    }
  }
  return std::nullopt;
}

std::optional<Verdict> Baseline::check(const Image& input, const Outcome& expected,
                                       const Outcome& found, const std::string& where) {
  if (auto verdict = check_traces(found, where)) return verdict;
  // Nothing that is equal is off.
  if (found.after == expected.after) return std::nullopt;
  return check_with(recorded_bounds(), input, expected.after, found.after, where);
}

std::optional<Verdict> Baseline::check_closely(const Image& input, const Outcome& expected,
                                               const Outcome& found,
                                               const std::string& where) const {
  if (auto verdict = check_traces(found, where)) return verdict;
  Bounds first;
  first.allowances = first_allowances();
  first.errors.resize(before_.size());
  return check_with(first, input, expected.after, found.after, where);
}

std::optional<Verdict> Baseline::check_other(const LaunchRecord& record, const Image& input,
                                             const Outcome& expected, const Outcome& found,
                                             const std::string& where) {
  auto verdict = check_closely(input, expected, found, where);
  if (!verdict || check_traces(found, where) || tolerance_given() || floating_outputs().empty())
    return verdict;
  return check_with(find_bounds(record, input, expected.after), input, expected.after, found.after,
                    where);
}

}  // namespace geak::replay

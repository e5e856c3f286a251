// The part of a contest that finds how far a floating-point output may be off (docs/judgement.md).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "replay/judge/mutate.h"
#include "replay/replayer/contest.h"

namespace geak::replay {
namespace {

// A candidate may be this much worse than the original: other orders of a sum differ by as much.
constexpr double kFactor = 8;
constexpr int kJitters = 2;

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

// At least four last places; at most what nobody would call the same result.
AllowanceLimits allowance_limits(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return {0x1p-50, 1e-9};
    case ElementType::f16:
      return {0x1p-9, 0x1p-7};
    case ElementType::bf16:
      return {0x1p-7, 0x1p-5};
    default:
      return {0x1p-21, 1e-4};
  }
}

// `off`: how far the original itself is off there.
void Contest::widen(std::size_t region, double off) {
  const auto [least, most] = allowance_limits(types_[region]);
  const double relative = std::clamp(kFactor * off, least, most);
  auto& allowance = allowances_[region];
  allowance.relative = std::max(allowance.relative, relative);
  // Elements near zero are results of cancellation: they may be off as their neighbours are.
  allowance.absolute = std::max(allowance.absolute,
                                relative * root_mean_square(expected_[region], types_[region]) / 4);
}

// The original where its inputs' last bits differ, and where it rounds in other directions.
std::vector<Outcome> Contest::perturbed_runs() {
  std::vector<Outcome> outcomes;
  const auto attempt = [&](const auto& run) {
    try {
      outcomes.push_back(run());
    } catch (const DeviceFault&) {
      // Such a run says nothing.
    }
  };
  announce_phase("original on inputs with other last bits");
  std::mt19937_64 random(0x6a17);
  for (int i = 0; i < kJitters; ++i) {
    auto input = before_;
    bool changed = false;
    for (std::size_t region = 0; region < input.size(); ++region) {
      changed |= jitter_last_bits(input[region], types_[region], pinned_[region], random);
    }
    if (changed) attempt([&] { return run_original(input); });
  }
  announce_phase("original with other rounding");
  for (const auto& side : rounded_) {
    attempt([&] { return run_as_original(*side, record_, before_); });
  }
  return outcomes;
}

void Contest::find_allowances() {
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (wrote(i) && is_floating(types_[i])) outputs.push_back(i);
  }
  if (outputs.empty()) return;
  const auto& given = spec_.tolerance;
  if (given.relative || given.absolute) {
    for (const auto i : outputs) {
      allowances_[i] = {
          0, std::max(given.relative.value_or(0) * largest_magnitude(expected_[i], types_[i]),
                      given.absolute.value_or(0))};
    }
    allowance_ = text_of("tolerance %g as given by the user",
                         given.relative.value_or(given.absolute.value_or(0)));
    return;
  }
  if (!judges_) return;
  const auto outcomes = perturbed_runs();
  double widest = 0;
  for (const auto i : outputs) {
    double off = 0;
    for (const auto& outcome : outcomes) {
      off = std::max(off, largest_relative_difference(expected_[i], outcome.after[i], types_[i]));
    }
    widen(i, off);
    widest = std::max(widest, allowances_[i].relative);
  }
  allowance_ = text_of("relative %.2g: 8 times the original's own rounding error", widest);
}

}  // namespace geak::replay

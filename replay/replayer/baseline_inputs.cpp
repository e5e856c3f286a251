// The part of a baseline that makes inputs: other contents of the outputs, fresh values.
#include <algorithm>
#include <array>
#include <cmath>

#include "replay/judge/mutate.h"
#include "replay/replayer/baseline.h"
#include "replay/replayer/phase.h"

namespace geak::replay {
namespace {

// Not those of the first rounds on the recorded input.
unsigned fill_of(std::uint64_t seed) { return 2 + static_cast<unsigned>(seed % 4); }

}  // namespace

// A region that the original overwrites whatever it held can be filled with poison.
void Baseline::find_poisonable() {
  announce_phase("original on poisoned outputs");
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (wrote(i) && pinned_[i].empty()) poisonable_[i] = overwrites(i);
  }
  // The first pattern in the only such region is what the second round finds, too.
  if (std::ranges::count(poisonable_, true) != 1) on_fill_.erase(1);
}

// Numbers about as large as the results: of NaN, tiny and huge ones a sum shows no trace.
void Baseline::fill_with_neighbours(std::vector<std::byte>& contents, std::size_t region) const {
  const auto type = types_[region];
  for (std::size_t i = 0; i < contents.size() / bytes_of(type); ++i) {
    const double value = element_at(expected_[region], type, i);
    if (std::isfinite(value)) set_element(contents, type, i, 1.5 * value + 0.75);
  }
}

bool Baseline::overwrites(std::size_t region) {
  for (const unsigned pattern : {0u, 1u, 2u}) {
    auto input = before_;
    pattern < 2 ? poison(input[region], pattern) : fill_with_neighbours(input[region], region);
    try {
      auto outcome = run(input);
      for (std::size_t i = 0; i < before_.size(); ++i) {
        if (i != region && !as_recorded(i, outcome.after[i])) return false;
      }
      // Where it still holds the poison, the original wrote nothing.
      auto merged = outcome.after[region];
      for (std::size_t at = 0; at < merged.size(); ++at) {
        if (merged[at] == input[region][at]) merged[at] = expected_[region][at];
      }
      if (!as_recorded(region, merged)) return false;
      if (pattern == 0 && repeats_itself()) on_fill_.insert_or_assign(1, std::move(outcome));
    } catch (const DeviceFault&) {
      return false;
    }
  }
  return true;
}

// What outputs hold before a launch: as recorded, patterns, plausible values. A candidate that
// behaves only where it recognises one of these is wrong on another.
Image Baseline::filled(Image image, unsigned fill) const {
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

Outcome Baseline::on_fill(unsigned fill) {
  const auto known = on_fill_.find(fill);
  if (known != on_fill_.end()) return known->second;
  if (!keeps_) return run(filled(fill));
  return on_fill_.emplace(fill, run(filled(fill))).first->second;
}

// From bold to careful changes.
Baseline::Fresh Baseline::make_fresh_input(std::uint64_t seed, unsigned care) {
  constexpr std::array kinds{Freshness::drawn, Freshness::permuted, Freshness::nudged};
  for (; care < kinds.size(); ++care) {
    std::mt19937_64 random(seed * 3 + static_cast<unsigned>(kinds[care]));
    Fresh fresh;
    fresh.fill = fill_of(seed);
    fresh.care = care;
    auto input = before_;
    for (std::size_t i = 0; i < input.size(); ++i) {
      if (poisonable_[i]) continue;
      const auto type = wrote(i) ? types_[i] : guess_element(before_[i], types_[i]);
      fresh.changed |= make_fresh(input[i], type, kinds[care], pinned_[i], random);
    }
    input = filled(std::move(input), fresh.fill);
    announce_phase("original on a fresh input");
    // Values on which it has no result of its own are none that it takes.
    if (auto reference = outcome_of(record_, input)) {
      fresh.reference = std::move(*reference);
      fresh.input = std::move(input);
      return fresh;
    }
  }
  notes_.push_back("no fresh input of seed " + std::to_string(seed) + " that the original takes");
  return {};
}

const Baseline::Fresh& Baseline::fresh(std::uint64_t seed, unsigned care) {
  if (!keeps_) fresh_.clear();
  const auto known = fresh_.find({seed, care});
  if (known != fresh_.end()) return known->second;
  return fresh_.emplace(std::pair(seed, care), make_fresh_input(seed, care)).first->second;
}

Image Baseline::varied(const OtherLaunch& made, std::uint64_t seed) const {
  auto input = made.before;
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (poisonable_[i]) {
      poison(input[i], static_cast<unsigned>(seed));
    } else {
      const auto type = wrote(i) ? types_[i] : guess_element(before_[i], types_[i]);
      make_fresh(input[i], type, Freshness::permuted, pinned_[i], random);
    }
  }
  return input;
}

}  // namespace geak::replay

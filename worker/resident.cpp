#include "worker/resident.h"

#include <algorithm>
#include <chrono>

namespace geak::worker {
namespace {

using replay::MemoryKind;

constexpr std::chrono::milliseconds kLimit{20'000};
// A first launch this much slower than the original's is no winner's: few rounds are spent on it.
constexpr double kLost = 1.3;
constexpr unsigned kRoundsOfLosers = 2;

}  // namespace

Resident::Resident(replay::Device& device, replay::Side& original, const replay::Baseline& baseline)
    : device_(device),
      record_(baseline.record()),
      arena_(device, original.kernel(), baseline.record()) {
  arena_.restore(baseline.before(), replay::recorded_bases(record_));
  const auto blocks = arena_.blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    pristine_.push_back(device.allocate(blocks[i].bytes));
    device.copy(pristine_.back().get(), blocks[i].at, blocks[i].bytes);
    written_.push_back(baseline.wrote(i));
    bytes_ += record_.regions[i].bytes;
  }
}

replay::Bases Resident::bases_for(const Contender& contender) const {
  auto bases = arena_.bases();
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const auto& region = record_.regions[i];
    if (region.kind != MemoryKind::global) continue;
    bases[i] = contender.side->kernel().variable(region.name);
    if (!bases[i]) throw replay::DeviceFault("the candidate has no variable " + region.name);
  }
  return bases;
}

void Resident::restore(const Contender& contender, bool all) {
  const auto blocks = arena_.blocks();
  const auto bases = bases_for(contender);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!all && !written_[i]) continue;
    const bool global = record_.regions[i].kind == MemoryKind::global;
    device_.copy(global ? reinterpret_cast<std::byte*>(bases[i]) : blocks[i].at, pristine_[i].get(),
                 blocks[i].bytes);
  }
}

double Resident::run(const Contender& contender) {
  restore(contender, false);
  double ns = 0;
  const auto once = replay::run_of(record_, contender.launch, contender.partial_groups,
                                   bases_for(contender), kLimit);
  for (const auto& pass : replay::passes_of(once, contender.passes))
    ns += contender.side->kernel().run(pass);
  return ns;
}

Resident::Times Resident::race(const Contender& original, const Contender& candidate,
                               const RaceEffort& effort) {
  Times times;
  restore(original, true);
  const auto start = std::chrono::steady_clock::now();
  const double first = run(original);  // the first launches load code and fill tables
  restore(candidate, true);
  const bool loses = run(candidate) > kLost * first;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const auto wished = static_cast<unsigned>(effort.seconds / std::max(took.count(), 1e-6));
  const auto wanted = std::clamp(wished, effort.least, effort.most);
  const auto rounds = loses ? std::min(kRoundsOfLosers, wanted) : wanted;
  for (unsigned round = 0; round < rounds; ++round) {
    for (const bool first : {true, false}) {
      if (first == (round % 2 == 0)) {
        times.original.push_back(run(original));
      } else {
        times.candidate.push_back(run(candidate));
      }
    }
  }
  return times;
}

replay::Outcome Resident::again(const Contender& contender) {
  replay::Outcome outcome;
  restore(contender, true);
  outcome.ns = run(contender);
  const auto bases = bases_for(contender);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    outcome.after.emplace_back(record_.regions[i].bytes);
    device_.copy(outcome.after.back().data(), reinterpret_cast<const void*>(bases[i]),
                 outcome.after.back().size());
  }
  replay::relocate(outcome.after, bases, replay::recorded_bases(record_),
                   replay::without_addresses(record_));
  outcome.zone_damage = arena_.zone_damage();
  return outcome;
}

double relative_spread(std::vector<double> values) {
  if (values.size() < 2) return 0;
  std::ranges::sort(values);
  const double centre = replay::median(values);
  const auto quarter = values.size() / 4;
  return centre > 0 ? (values[values.size() - 1 - quarter] - values[quarter]) / centre : 0;
}

}  // namespace geak::worker

#include "worker/bench.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "replay/gates/static_gates.h"

namespace geak::worker {
namespace {

using nlohmann::json;
using replay::LaunchRecord;

constexpr std::uint64_t kMostBytes = 4ull << 30;  // of all records tried, after the first
constexpr RaceEffort kOfTheOriginal{0.1, 5, 15};

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const auto byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// At most `most` launches of the kernel, spread over all in the order of their work.
std::vector<const LaunchRecord*> records_of(const replay::ArchiveReader& archive,
                                            const std::vector<std::string>& symbols,
                                            unsigned most) {
  std::vector<const LaunchRecord*> all, chosen;
  for (const auto& launch : archive.launches())
    if (std::ranges::find(symbols, launch.kernel) != symbols.end()) all.push_back(&launch);
  if (all.empty()) throw std::runtime_error("the records hold no launch of " + symbols.front());
  std::ranges::sort(
      all, {}, [](const auto* record) { return std::pair(work_items(*record), record->ordinal); });
  const std::size_t count = std::min<std::size_t>(most, all.size());
  // The largest first: of one it is that one.
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* record =
        all[all.size() - 1 - (count == 1 ? 0 : i * (all.size() - 1) / (count - 1))];
    bytes += region_bytes(*record);
    if (!chosen.empty() && bytes > kMostBytes) break;
    chosen.push_back(record);
  }
  return chosen;
}

}  // namespace

Benches::Benches(replay::Device& device, const replay::ArchiveReader& archive,
                 replay::Side& original, const replay::TrialSpec& spec, const CourtJob& job,
                 const std::string& symbol)
    : device_(device), archive_(archive), original_(original), spec_(spec) {
  if (job.recorded_inputs_only)
    notes_.push_back(
        "the original faults on fresh inputs: candidates are verified on the recorded ones alone");
  const auto records = records_of(archive, {symbol, job.symbol}, job.max_records);
  std::map<std::string, unsigned> of_class;
  for (const auto* record : records) ++of_class[record->launch_class];
  for (const auto* record : records)
    open(*record, static_cast<double>(archive.launches_of_class(record->launch_class)) /
                      of_class[record->launch_class]);
  if (benches_.empty()) throw std::runtime_error("no launch can be replayed: " + refused_);
}

void Benches::open(const LaunchRecord& record, double launches) {
  Bench bench;
  bench.record = &record;
  bench.weight = launches;
  bench.baseline = std::make_unique<replay::Baseline>(spec_, archive_, record, original_);
  bench.baseline->keep_outcomes();
  try {
    bench.baseline->establish(replay::Baseline::Purpose::judgement);
  } catch (const replay::DeviceFault&) {
    throw;  // the device is of no use any more
  } catch (const std::exception& error) {
    refused_ = error.what();
    notes_.push_back("a launch is left out: " + refused_);
    return;
  }
  bench.resident = std::make_unique<Resident>(device_, original_, *bench.baseline);
  const Contender alone{
      &original_, replay::launch_of(record), replay::has_partial_groups(record), {}};
  bench.original_ns = replay::median(bench.resident->race(alone, alone, kOfTheOriginal).original);
  benches_.push_back(std::move(bench));
}

json Benches::description() const {
  json launches = json::array();
  std::uint64_t bytes = 0, written = 0;
  for (const auto& bench : benches_) {
    for (std::size_t i = 0; i < bench.record->regions.size(); ++i) {
      bytes += bench.record->regions[i].bytes;
      if (bench.baseline->wrote(i)) written += bench.record->regions[i].bytes;
    }
    launches.push_back({{"launch", replay::launch_of(*bench.record)},
                        {"kernarg", hex_of(bench.record->kernarg)},
                        {"weight", bench.weight},
                        {"ns", bench.original_ns}});
  }
  const auto& metadata = original_.metadata();
  return {{"symbol", metadata.symbol},
          {"records", benches_.size()},
          {"launches", launches},
          {"region_bytes", bytes},
          {"written_bytes", written},
          {"registers", metadata.vgprs},
          {"shared_bytes", metadata.static_lds},
          {"local_bytes", metadata.scratch},
          {"notes", notes_}};
}

std::optional<Pairing> Benches::pair(const Bench& bench, replay::Side& side,
                                     const replay::LaunchPlan& plan, std::string& why) {
  const auto planned = plan.of(*bench.record, &why);
  if (!planned) return std::nullopt;
  const bool partial = replay::has_partial_groups(*bench.record);
  return Pairing{*planned,
                 {&original_, replay::launch_of(*bench.record), partial, planned->original_passes},
                 {&side, planned->launch, planned->partial_groups, planned->passes},
                 std::max(1.0, static_cast<double>(planned->original_passes.values.size()))};
}

Benches::Times Benches::race(replay::Side& side, const replay::LaunchPlan& plan,
                             const RaceEffort& effort) {
  Times times;
  std::vector<replay::LaunchTimes> all;
  for (auto& bench : benches_) {
    const auto both = pair(bench, side, plan, times.why);
    if (!both) {
      // The original stays: it counts with its own time.
      all.push_back({bench.original_ns, bench.original_ns, bench.weight, 0, false});
      continue;
    }
    ++times.tried;
    times.refusal =
        replay::check_launch(side.metadata(), both->candidate.launch, device_.lds_bytes());
    if (times.refusal) return times;
    const auto race = bench.resident->race(both->original, both->candidate, effort);
    all.push_back({replay::median(race.original), replay::median(race.candidate),
                   bench.weight / both->launches,
                   std::max(relative_spread(race.original), relative_spread(race.candidate)),
                   false});
  }
  times.gain = replay::judge_gain(all, 0);
  return times;
}

}  // namespace geak::worker

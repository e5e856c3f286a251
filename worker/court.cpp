#include "worker/court.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

#include "replay/archive/reader.h"
#include "replay/cuda/cuda_device.h"
#include "replay/gates/static_gates.h"
#include "replay/judge/gain.h"
#include "replay/replayer/contest.h"
#include "worker/kernel_symbol.h"
#include "worker/resident.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using replay::LaunchRecord;
using Clock = std::chrono::steady_clock;

constexpr unsigned kLeastRounds = 5, kMostRounds = 15;
constexpr double kShareOfTiming = 0.6;  // of the time; the rest is for verifying
constexpr double kSecondsARace = 0.1;
constexpr std::uint64_t kMostBytes = 1ull << 30;      // of all records tried, after the first
constexpr std::uint64_t kSmallRecord = 16ull << 20;   // of larger ones other sizes are not tried
constexpr std::uint64_t kLargeRecord = 256ull << 20;  // of these one fresh input is enough

std::vector<std::byte> read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const auto byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::uint64_t work_items(const LaunchRecord& record) {
  return std::uint64_t{record.grid[0]} * record.grid[1] * record.grid[2];
}

std::uint64_t bytes_of(const LaunchRecord& record) {
  std::uint64_t bytes = 0;
  for (const auto& region : record.regions) bytes += region.bytes;
  return bytes;
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
    bytes += bytes_of(*record);
    if (!chosen.empty() && bytes > kMostBytes) break;
    chosen.push_back(record);
  }
  return chosen;
}

// One record: the judge and the timing on it.
struct Bench {
  const LaunchRecord* record = nullptr;
  std::unique_ptr<replay::Baseline> baseline;
  std::unique_ptr<Resident> resident;
  double weight = 1;
};

class Court {
 public:
  Court(const CourtJob& job, const std::function<void(const json&)>& tell)
      : job_(job),
        tell_(tell),
        started_(Clock::now()),
        archive_(replay::ArchiveReader::open(job.archive)) {}

  void hold() {
    open_benches();
    started_ = Clock::now();
    std::vector<Timed> all;
    for (const auto& candidate : job_.candidates) {
      if (out_of_time(kShareOfTiming)) break;
      if (auto timed = time(candidate)) all.push_back(std::move(*timed));
    }
    std::ranges::sort(all, std::greater<>{}, [](const Timed& timed) { return timed.gain; });
    for (auto& timed : all) {
      if (out_of_time()) break;
      if (!job_.verify_all && timed.gain <= 1) break;
      if (verify(timed) && !job_.verify_all) break;
    }
  }

 private:
  struct Timed {
    const CourtCandidate* candidate = nullptr;
    json result;
    double gain = 0;
  };

  bool out_of_time(double share = 1) const {
    return std::chrono::duration<double>(Clock::now() - started_).count() > share * job_.seconds;
  }

  void open_benches() {
    auto code = read_file(job_.original);
    const auto symbol = original_symbol(functions_of(code), job_.symbol);
    original_ = std::make_unique<replay::Side>(device_, std::move(code), symbol, nullptr);
    const auto records = records_of(archive_, {symbol, job_.symbol}, job_.max_records);
    std::map<std::string, unsigned> of_class;
    for (const auto* record : records) ++of_class[record->launch_class];
    spec_.argument_types = job_.argument_types;
    spec_.tolerance.relative = job_.tolerance;
    spec_.rounds = 2;
    json notes = json::array(), launches = json::array();
    if (job_.recorded_inputs_only)
      notes.push_back(
          "the original faults on fresh inputs: candidates are verified on the recorded "
          "ones alone");
    std::string refused;
    std::uint64_t bytes = 0, written = 0;
    for (const auto* record : records) {
      Bench bench;
      bench.record = record;
      bench.baseline = std::make_unique<replay::Baseline>(spec_, archive_, *record, *original_);
      bench.baseline->keep_outcomes();
      try {
        bench.baseline->establish(replay::Baseline::Purpose::judgement);
      } catch (const replay::DeviceFault&) {
        throw;  // the device is of no use any more
      } catch (const std::exception& error) {
        refused = error.what();
        notes.push_back("a launch is left out: " + refused);
        continue;
      }
      bench.resident = std::make_unique<Resident>(device_, *original_, *record, *bench.baseline);
      bench.weight = static_cast<double>(archive_.launches_of_class(record->launch_class)) /
                     of_class[record->launch_class];
      for (std::size_t i = 0; i < record->regions.size(); ++i) {
        bytes += record->regions[i].bytes;
        if (bench.baseline->wrote(i)) written += record->regions[i].bytes;
      }
      launches.push_back({{"launch", replay::launch_of(*record)},
                          {"kernarg", hex_of(record->kernarg)},
                          {"weight", bench.weight}});
      benches_.push_back(std::move(bench));
    }
    if (benches_.empty()) throw std::runtime_error("no launch can be replayed: " + refused);
    const auto& metadata = original_->metadata();
    tell_({{"original",
            {{"symbol", symbol},
             {"records", benches_.size()},
             {"launches", launches},
             {"region_bytes", bytes},
             {"written_bytes", written},
             {"registers", metadata.vgprs},
             {"shared_bytes", metadata.static_lds},
             {"local_bytes", metadata.scratch},
             {"notes", notes}}}});
  }

  json lost(const CourtCandidate& candidate, const char* outcome, const std::string& reason,
            const std::string& attack = "") const {
    return {{"digest", candidate.digest},
            {"name", candidate.name},
            {"outcome", outcome},
            {"reason", reason},
            {"attack", attack}};
  }

  // The candidate's side, or nothing: then it was told why.
  std::unique_ptr<replay::Side> load(const CourtCandidate& candidate) {
    try {
      auto code = read_file(candidate.cubin);
      const auto symbol = candidate_symbol(functions_of(code), candidate.name);
      auto side = std::make_unique<replay::Side>(device_, std::move(code), symbol, nullptr);
      const auto refusal = replay::check_cubin(original_->code(), original_->metadata(),
                                               side->code(), side->metadata());
      if (!refusal) return side;
      tell_({{"result", lost(candidate, "refused", refusal->reason, refusal->attack)}});
    } catch (const std::exception& error) {
      tell_({{"result", lost(candidate, "failed", error.what())}});
    }
    return nullptr;
  }

  // How a candidate runs on a record beside the original.
  struct Pairing {
    replay::PlannedLaunch planned;
    Contender original, candidate;
    double launches = 1;  // of the original that one of the candidate's stands for
  };
  // None where the candidate's conditions do not hold there.
  std::optional<Pairing> pair(const Bench& bench, replay::Side& side,
                              const replay::LaunchPlan& plan, std::string& why) {
    const auto planned = plan.of(*bench.record, &why);
    if (!planned) return std::nullopt;
    const bool partial = replay::has_partial_groups(*bench.record);
    return Pairing{
        *planned,
        {original_.get(), replay::launch_of(*bench.record), partial, planned->original_passes},
        {&side, planned->launch, planned->partial_groups, planned->passes},
        std::max(1.0, static_cast<double>(planned->original_passes.values.size()))};
  }

  // The original where it stays: it counts with its own time.
  replay::LaunchTimes time_original(Bench& bench) {
    const Contender original{original_.get(),
                             replay::launch_of(*bench.record),
                             replay::has_partial_groups(*bench.record),
                             {}};
    const auto race =
        bench.resident->race(original, original, kSecondsARace, kLeastRounds, kMostRounds);
    const double ns = median(race.original);
    return {ns, ns, bench.weight, relative_spread(race.original), false};
  }

  std::optional<Timed> time(const CourtCandidate& candidate) {
    if (const auto known = job_.earlier.find(candidate.digest); known != job_.earlier.end()) {
      if (known->value("outcome", "") != "timed") return std::nullopt;
      return Timed{&candidate, *known, known->value("gain", 0.0)};
    }
    const auto side = load(candidate);
    if (!side) return std::nullopt;
    tell_({{"begins", candidate.digest}, {"doing", "timing"}});
    const replay::LaunchPlan plan(original_->metadata(), candidate.launch);
    std::vector<replay::LaunchTimes> times;
    std::string why;
    unsigned tried = 0;
    for (auto& bench : benches_) {
      const auto both = pair(bench, *side, plan, why);
      if (!both) {
        times.push_back(time_original(bench));
        continue;
      }
      ++tried;
      if (const auto refusal =
              replay::check_launch(side->metadata(), both->candidate.launch, device_.lds_bytes())) {
        tell_({{"result", lost(candidate, "refused", refusal->reason, refusal->attack)}});
        return std::nullopt;
      }
      const auto race = bench.resident->race(both->original, both->candidate, kSecondsARace,
                                             kLeastRounds, kMostRounds);
      times.push_back({median(race.original), median(race.candidate), bench.weight / both->launches,
                       std::max(relative_spread(race.original), relative_spread(race.candidate)),
                       false});
    }
    if (tried == 0) {
      tell_({{"result", lost(candidate, "rejected",
                             "its conditions hold for no recorded launch (" + why + ")",
                             "23: an optimized branch that is never taken")}});
      return std::nullopt;
    }
    const auto gain = replay::judge_gain(times, 0);
    Timed timed{&candidate, lost(candidate, "timed", ""), gain.gain};
    timed.result.update({{"original_ns", gain.original_ns},
                         {"candidate_ns", gain.candidate_ns},
                         {"gain", gain.gain},
                         {"noise", gain.noise},
                         {"launches_tried", tried},
                         {"registers", side->metadata().vgprs},
                         {"shared_bytes", side->metadata().static_lds},
                         {"local_bytes", side->metadata().scratch}});
    tell_({{"result", timed.result}});
    return timed;
  }

  std::optional<replay::Verdict> judge(Bench& bench, const Pairing& both,
                                       const replay::LaunchPlan& plan, unsigned& inputs) {
    // A candidate that stands for several launches is held against as many of the original.
    std::optional<replay::Baseline> fused;
    if (plan.fuses_launches()) {
      fused.emplace(spec_, archive_, *bench.record, *original_, &plan);
      fused->establish(replay::Baseline::Purpose::judgement);
    }
    replay::Contest contest(spec_, fused ? *fused : *bench.baseline, *both.candidate.side, plan,
                            both.planned, device_.peak_bandwidth());
    if (fused || job_.recorded_inputs_only || bytes_of(*bench.record) > kSmallRecord)
      contest.keep_recorded_launch();
    std::optional<replay::Verdict> verdict;
    if (!fused) verdict = contest.judge_recorded(bench.resident->again(both.candidate));
    if (!verdict) verdict = contest.judge();
    inputs += contest.inputs_tried();
    return verdict;
  }

  // Whether it is accepted.
  bool verify(Timed& timed) {
    const auto& candidate = *timed.candidate;
    const auto side = load(candidate);
    if (!side) return false;
    tell_({{"begins", candidate.digest}, {"doing", "verifying"}});
    const replay::LaunchPlan plan(original_->metadata(), candidate.launch);
    unsigned inputs = 0;
    for (auto& bench : benches_) {
      std::string why;
      const auto both = pair(bench, *side, plan, why);
      if (!both) continue;
      spec_.seeds = job_.recorded_inputs_only ? std::vector<std::uint64_t>() : job_.seeds;
      if (bench.resident->bytes() > kLargeRecord && spec_.seeds.size() > 1) spec_.seeds.resize(1);
      const auto verdict = judge(bench, *both, plan, inputs);
      if (!verdict) continue;
      timed.result.update(
          {{"outcome", "rejected"}, {"reason", verdict->reason}, {"attack", verdict->attack}});
      tell_({{"result", timed.result}});
      return false;
    }
    timed.result.update({{"outcome", "accepted"}, {"inputs_tried", inputs}});
    tell_({{"result", timed.result}});
    return true;
  }

  const CourtJob& job_;
  const std::function<void(const json&)>& tell_;
  Clock::time_point started_;
  replay::ArchiveReader archive_;
  replay::cuda::CudaDevice device_;
  replay::TrialSpec spec_;
  std::unique_ptr<replay::Side> original_;
  std::vector<Bench> benches_;
};

}  // namespace

nlohmann::json to_json(const CourtJob& job) {
  json candidates = json::array();
  for (const auto& candidate : job.candidates)
    candidates.push_back({{"digest", candidate.digest},
                          {"name", candidate.name},
                          {"cubin", candidate.cubin.string()},
                          {"launch", candidate.launch}});
  return {{"archive", job.archive.string()},
          {"symbol", job.symbol},
          {"original", job.original.string()},
          {"tolerance", job.tolerance ? json(*job.tolerance) : json()},
          {"argument_types", job.argument_types},
          {"seeds", job.seeds},
          {"max_records", job.max_records},
          {"recorded_inputs_only", job.recorded_inputs_only},
          {"verify_all", job.verify_all},
          {"seconds", job.seconds},
          {"candidates", std::move(candidates)},
          {"earlier", job.earlier}};
}

CourtJob court_job_from_json(const nlohmann::json& object) {
  CourtJob job;
  job.archive = object.at("archive").get<std::string>();
  object.at("symbol").get_to(job.symbol);
  job.original = object.at("original").get<std::string>();
  if (!object.at("tolerance").is_null()) job.tolerance = object.at("tolerance").get<double>();
  object.at("argument_types").get_to(job.argument_types);
  object.at("seeds").get_to(job.seeds);
  object.at("max_records").get_to(job.max_records);
  object.at("recorded_inputs_only").get_to(job.recorded_inputs_only);
  object.at("verify_all").get_to(job.verify_all);
  object.at("seconds").get_to(job.seconds);
  job.earlier = object.at("earlier");
  for (const auto& entry : object.at("candidates"))
    job.candidates.push_back({entry.at("digest"), entry.at("name"),
                              entry.at("cubin").get<std::string>(),
                              entry.at("launch").get<support::LaunchChange>()});
  return job;
}

void hold_court(const CourtJob& job, const std::function<void(const nlohmann::json&)>& tell) {
  Court(job, tell).hold();
}

}  // namespace geak::worker

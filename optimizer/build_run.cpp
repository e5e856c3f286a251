#include "optimizer/build_run.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

#include "optimizer/launch_facts.h"
#include "optimizer/replay_evaluator.h"
#include "optimizer/rules_generator.h"
#include "optimizer/verified_generator.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;

// Other processes wait for this file's time, so it is made new even where it exists.
void touch(const fs::path& file) {
  if (file.empty()) return;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::app).flush();
  std::error_code ignored;  // a missing stamp costs an unneeded look-up, nothing else
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
}

// Of the variants found on the first target so many are tried on each other one.
constexpr std::size_t kTriedElsewhere = 8;

struct Record {
  fs::path archive;
  replay::ArchiveReader reader;
};

std::string name_of_best(const std::optional<cache::VerifiedVariant>& best) {
  return best ? best->variant.name : "";
}

class Run {
 public:
  explicit Run(const RunSettings& settings)
      : settings_(settings), cache_(cache::Cache::to_write()) {
    if (!cache_.notice().empty()) outcome_.problems.push_back(cache_.notice());
  }

  RunOutcome run() {
    bool seen = settings_.target.empty();
    for (const auto& manifest : support::manifests_of_build(settings_.build)) {
      if (!settings_.target.empty() && manifest.target != settings_.target) continue;
      seen = true;
      if (outcome_.interrupted) break;
      optimize_target(manifest);
    }
    if (!seen)
      throw std::runtime_error("no target " + settings_.target + " in " + settings_.build.string() +
                               " is marked with geak_optimize()");
    return std::move(outcome_);
  }

 private:
  void optimize_target(const support::Manifest& manifest) {
    auto found = find_marked_kernels(manifest);
    for (auto& problem : found.problems) outcome_.problems.push_back(std::move(problem));
    for (const auto& glob : found.unmatched)
      outcome_.problems.push_back("geak_optimize(" + manifest.target + "): no kernel is named " +
                                  glob);
    if (found.kernels.empty()) return;
    try {
      optimize_kernels(manifest, found.kernels);
    } catch (const cache::CacheError&) {
      throw;
    } catch (const std::runtime_error& error) {
      if (settings_.stop())
        outcome_.interrupted = true;
      else
        outcome_.problems.push_back(manifest.target + ": " + error.what());
    }
  }

  void optimize_kernels(const support::Manifest& manifest,
                        const std::vector<MarkedKernel>& kernels) {
    records_.clear();
    for (const auto& marked : kernels) {
      if (outcome_.interrupted || settings_.stop()) {
        outcome_.interrupted = true;
        return;
      }
      outcome_.kernels.push_back(optimize_kernel(manifest, with_key(marked)));
    }
  }

  KernelOutcome optimize_kernel(const support::Manifest& manifest, const KeyedKernel& kernel) {
    remember(kernel);
    const std::string before = name_of_best(select_for_build(cache_, kernel));
    KernelOutcome outcome{manifest.target, kernel, search(manifest, kernel), {}, ""};
    for (const auto& there : kernel.elsewhere)
      if (!outcome_.interrupted)
        if (auto result = try_elsewhere(manifest, kernel, there))
          outcome.elsewhere.emplace_back(there.marked.target_id, std::move(*result));
    outcome.result.best = select_for_build(cache_, kernel);
    outcome.unproven = unproven_for_build(cache_, kernel);
    // Also where it was known before: another build that shares the cache may have found it after
    // this one chose.
    const std::string best = name_of_best(outcome.result.best);
    if (!before.empty() || !best.empty()) touch(manifest.cache_stamp);
    return outcome;
  }

  void remember(const KeyedKernel& kernel) {
    // The first target last: it is what `geak explain` compares with.
    for (const auto& there : kernel.elsewhere) remember(there);
    cache_.remember(kernel.name, kernel.key);
  }

  LoopResult search(const support::Manifest& manifest, const KeyedKernel& kernel) {
    const Device device = device_for(kernel.architecture());
    const auto type = evidence_on(device);
    auto earlier = finished_earlier(cache_, kernel.key.digest, type);
    if (earlier && !settings_.again) return std::move(*earlier);
    const Record& record = record_on(manifest, manifest.target, device);
    return guarded(kernel, [&] {
      auto seen = seen_launches(kernel.marked, record.reader);
      if (seen.empty()) throw std::runtime_error("the workload does not launch it");
      SearchSettings search;
      search.seed = settings_.seed;
      RulesGenerator generator(kernel.marked, std::move(seen), search);
      ReplayEvaluator evaluator(manifest, kernel, device, record.archive);
      auto loop = loop_settings(kernel.marked.full_name());
      if (!kernel.elsewhere.empty()) loop.verified_wanted = kTriedElsewhere;
      return improve(cache_, kernel.key.digest, type, verification_on(device), generator, evaluator,
                     loop);
    });
  }

  // What was verified on the first target is tried on another one that the build is for. Nothing
  // where all of it was tried before.
  std::optional<LoopResult> try_elsewhere(const support::Manifest& manifest,
                                          const KeyedKernel& kernel, const KeyedKernel& there) {
    const Device device = device_for(there.architecture());
    const auto type = evidence_on(device);
    auto found = worth_keeping_on(cache_, keyed_targets(kernel).front());
    if (found.size() > kTriedElsewhere) found.resize(kTriedElsewhere);
    const auto trials = cache_.trials(there.key.digest, type);
    std::erase_if(found, [&](const auto& one) {
      return std::any_of(trials.begin(), trials.end(), [&](const auto& trial) {
        return trial.variant_digest == one.variant.digest;
      });
    });
    if (found.empty()) return std::nullopt;
    return guarded(there, [&] {
      // The first target's record has no architecture in its name.
      const std::string name = device.architecture == kernel.architecture()
                                   ? manifest.target
                                   : manifest.target + "." + device.architecture;
      const Record& record = record_on(manifest, name, device);
      VerifiedGenerator generator(std::move(found));
      ReplayEvaluator evaluator(manifest, there, device, record.archive);
      auto loop = loop_settings(there.marked.full_name() + " on " + there.marked.target_id);
      loop.again = true;      // an earlier run had less to try
      loop.judge_all = true;  // what is fastest here may lose on the first target
      loop.at_once = 1;       // each has an origin of its own
      return improve(cache_, there.key.digest, type, verification_on(device), generator, evaluator,
                     loop);
    });
  }

  // One kernel that cannot be worked on leaves the others theirs; what it got so far is kept.
  template <class Work>
  LoopResult guarded(const KeyedKernel& kernel, Work work) {
    LoopResult result;
    try {
      result = work();
    } catch (const cache::CacheError&) {
      throw;
    } catch (const std::exception& error) {
      result.end = LoopResult::End::impossible;
      result.reason = error.what();
      cache_.set_search(
          kernel.key.digest, evidence_on(device_for(kernel.architecture())),
          {cache::Search::State::interrupted, result.reason, 0, 0, settings_.seed, 0});
    }
    outcome_.interrupted |= result.end == LoopResult::End::interrupted;
    return result;
  }

  LoopSettings loop_settings(const std::string& about) const {
    LoopSettings loop;
    loop.seed = settings_.seed;
    loop.seconds = settings_.seconds_a_kernel;
    loop.again = settings_.again;
    loop.stop = settings_.stop;
    loop.progress = told(about);
    return loop;
  }

  // The target's workload on this device, recorded once a run and only where a kernel needs it.
  const Record& record_on(const support::Manifest& manifest, const std::string& name,
                          const Device& device) {
    const auto known = records_.find(name);
    if (known != records_.end()) return known->second;
    const auto archive = record_workload(manifest, name, device, told(manifest.target)).archive;
    auto reader = replay::ArchiveReader::open(archive);
    for (const auto& problem : reader.problems())
      outcome_.problems.push_back(archive.string() + ": " + problem);
    return records_.emplace(name, Record{archive, std::move(reader)}).first->second;
  }

  std::function<void(const std::string&)> told(const std::string& about) const {
    return [this, about](const std::string& line) { settings_.progress(about + ": " + line); };
  }

  const RunSettings& settings_;
  cache::Cache cache_;
  std::map<std::string, Record> records_;  // of the target at hand, by name
  RunOutcome outcome_;
};

}  // namespace

RunOutcome optimize_build(const RunSettings& settings) { return Run(settings).run(); }

}  // namespace geak::optimizer

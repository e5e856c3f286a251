#include "optimizer/build_run.h"

#include <fstream>
#include <stdexcept>

#include "optimizer/launch_facts.h"
#include "optimizer/replay_evaluator.h"
#include "optimizer/rules_generator.h"
#include "optimizer/select.h"

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
    // Recording is left out where every kernel's search had already ended.
    std::optional<replay::ArchiveReader> record;
    std::filesystem::path archive;
    for (const auto& marked : kernels) {
      if (outcome_.interrupted || settings_.stop()) {
        outcome_.interrupted = true;
        return;
      }
      const KeyedKernel kernel = with_key(marked);
      cache_.remember(kernel.name, kernel.key);
      auto earlier = finished_earlier(cache_, kernel.key.digest, evidence_for(kernel));
      if (earlier && !settings_.again) {
        outcome_.kernels.push_back({manifest.target, kernel, std::move(*earlier)});
        continue;
      }
      const Device device{!has_gpu(), kernel.architecture()};
      if (!record) {
        archive = record_workload(manifest, device, told(manifest.target)).archive;
        record.emplace(replay::ArchiveReader::open(archive));
        for (const auto& problem : record->problems())
          outcome_.problems.push_back(archive.string() + ": " + problem);
      }
      outcome_.kernels.push_back(
          {manifest.target, kernel, optimize_kernel(manifest, kernel, device, archive, *record)});
    }
  }

  LoopResult optimize_kernel(const support::Manifest& manifest, const KeyedKernel& kernel,
                             const Device& device, const fs::path& archive,
                             const replay::ArchiveReader& record) {
    const auto type = evidence_for(kernel);
    const std::string before = name_of_best(select(cache_, kernel.key.digest, type));
    LoopSettings loop;
    loop.seed = settings_.seed;
    loop.seconds = settings_.seconds_a_kernel;
    loop.again = settings_.again;
    loop.stop = settings_.stop;
    loop.progress = told(kernel.marked.full_name());
    LoopResult result;
    try {
      auto seen = seen_launches(kernel.marked, record);
      if (seen.empty()) throw std::runtime_error("the workload does not launch it");
      SearchSettings search;
      search.seed = settings_.seed;
      RulesGenerator generator(kernel.marked, std::move(seen), search);
      ReplayEvaluator evaluator(manifest, kernel, device, archive);
      result = improve(cache_, kernel.key.digest, type, {device.emulated, device.architecture},
                       generator, evaluator, loop);
    } catch (const cache::CacheError&) {
      throw;
    } catch (const std::exception& error) {
      // One kernel that cannot be worked on leaves the others theirs; what it got so far is kept.
      result.end = LoopResult::End::impossible;
      result.reason = error.what();
      result.best = select(cache_, kernel.key.digest, type);
      cache_.set_search(kernel.key.digest, type,
                        {cache::Search::State::interrupted, result.reason, 0, 0, loop.seed, 0});
    }
    outcome_.interrupted |= result.end == LoopResult::End::interrupted;
    if (name_of_best(result.best) != before) touch(manifest.cache_stamp);
    return result;
  }

  std::function<void(const std::string&)> told(const std::string& about) const {
    return [this, about](const std::string& line) { settings_.progress(about + ": " + line); };
  }

  const RunSettings& settings_;
  cache::Cache cache_;
  RunOutcome outcome_;
};

}  // namespace

RunOutcome optimize_build(const RunSettings& settings) { return Run(settings).run(); }

}  // namespace geak::optimizer

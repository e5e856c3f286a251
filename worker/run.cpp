#include "worker/run.h"

#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "support/interrupt.h"
#include "worker/builds.h"
#include "worker/court_process.h"
#include "worker/gather.h"
#include "worker/gpu.h"
#include "worker/recordings.h"
#include "worker/result.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A case may have so many times its share of the time left: most need less.
constexpr double kShares = 3;
constexpr double kLeastSeconds = 2;

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

// A kernel on the records of one size: they came along, or are made here.
struct Case {
  const Kernel* kernel = nullptr;
  std::string size;
  fs::path archive;
  WantedRun made_by;
};

class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options), started_(std::chrono::steady_clock::now()) {}

  bool run() {
    bundle_ = read_bundles(options_.bundles);
    compiler_ = find_compiler();
    open_device();
    Builds builds(bundle_, options_.work, compiler_, architecture_, options_.jobs);
    builds_ = &builds;
    auto cases = all_cases();
    std::vector<WantedRun> wanted;
    for (const auto& one : cases) {
      if (!one.made_by.run) continue;
      const bool known =
          std::ranges::any_of(wanted, [&](const auto& run) { return run.run == one.made_by.run; });
      if (!known) wanted.push_back(one.made_by);
    }
    Recordings recordings(bundle_, recording_tools(!wanted.empty()), wanted, options_.recorders,
                          [this](const auto& run, const auto& problem) { heard(run, problem); });
    queue_compiles(cases);
    for (std::size_t i = 0; i < cases.size() && !over(); ++i) {
      if (cases[i].made_by.run) cases[i].archive = recordings.archive(cases[i].made_by);
      if (!cases[i].archive.empty() && !over()) try_case(cases[i], cases.size() - i);
    }
    return conclude();
  }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  bool over() const {
    return support::interrupted() || (options_.seconds > 0 && elapsed() > options_.seconds);
  }

  void open_device() {
    const auto gpu = open_gpu();
    architecture_ = gpu.architecture;
    result_ = std::make_unique<Result>(options_.result, digest_of_files(options_.bundles),
                                       gpu.device->name(), architecture_);
    if (!result_->head().contains("copy_bytes_per_ns"))
      result_->head()["copy_bytes_per_ns"] = copy_bandwidth(*gpu.device);
    tell("on " + gpu.device->name() + " (" + architecture_ + ")");
  }

  // Beside this program, or in a build's or an installation's library folder.
  RecordingTools recording_tools(bool needed) const {
    RecordingTools tools{compiler_, architecture_, builds_->sources(), {}, options_.work};
    tools.seconds = options_.record_seconds;
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    for (const auto& folder : {here, here.parent_path() / "lib" / "geak"})
      if (tools.recorder.empty() && fs::exists(folder / recorder_library()))
        tools.recorder = folder / recorder_library();
    if (needed && tools.recorder.empty())
      throw std::runtime_error(std::string(recorder_library()) + " is not beside this program");
    return tools;
  }

  bool wanted(const Kernel& kernel) const {
    return options_.only.empty() ||
           ::fnmatch(options_.only.c_str(), (kernel.target + ":" + kernel.kernel).c_str(), 0) == 0;
  }

  std::string names_of_kernels() const {
    std::string names;
    for (const auto& kernel : bundle_.kernels)
      names += (names.empty() ? "" : ", ") + kernel.target + ":" + kernel.kernel;
    return names;
  }

  // Size by size, so that time that ends leaves each kernel something.
  std::vector<Case> all_cases() {
    std::vector<Case> all;
    for (const auto& kernel : bundle_.kernels) {
      if (!wanted(kernel)) continue;
      for (std::size_t i = 0; i < bundle_.records.size(); ++i)
        if (bundle_.records[i].target == kernel.target)
          all.push_back({&kernel, bundle_.records[i].size, records_file(i), {}});
      for (const auto& workload : bundle_.workloads)
        for (const auto& run : workload.runs)
          if (workload.target == kernel.target)
            all.push_back({&kernel, run.size, {}, {&workload, &run}});
    }
    if (all.empty() && !options_.only.empty())
      throw std::runtime_error("--only " + options_.only +
                               " matches no TARGET:KERNEL of the bundle (" + names_of_kernels() +
                               ")");
    if (options_.sizes.empty()) return all;
    std::vector<Case> in_order;
    for (const auto& size : options_.sizes)
      std::ranges::copy_if(all, std::back_inserter(in_order),
                           [&](const auto& one) { return one.size == size; });
    if (in_order.empty())
      throw std::runtime_error("--sizes: the bundle has none of these sizes of the kernels wanted");
    return in_order;
  }

  fs::path records_file(std::size_t index) const {
    const auto& archive = bundle_.records[index].archive;
    const auto file = options_.work / ("records" + std::to_string(index) + ".geakrec");
    if (fs::exists(file)) return file;
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(archive.data()),
                 static_cast<std::streamsize>(archive.size()));
    return file;
  }

  void queue_compiles(const std::vector<Case>& cases) {
    std::vector<const Kernel*> queued;
    for (const auto& one : cases) {
      if (std::ranges::find(queued, one.kernel) != queued.end()) continue;
      queued.push_back(one.kernel);
      builds_->queue(*one.kernel);
    }
  }

  void try_case(const Case& one, std::size_t left) {
    auto& entry = result_->kernel(*one.kernel, one.size);
    if (entry["state"] == "tried") return;
    const auto original = builds_->original(*one.kernel);
    if (const auto problem = builds_->problem(original); !problem.empty()) {
      entry["state"] = "failed";
      entry["reason"] = compiler_ + ": " + problem;
    } else {
      auto job = job_for(one, original, entry);
      CourtProcess(options_.work, *one.kernel, entry).hold(std::move(job), seconds_for(left));
    }
    report(one, entry);
    result_->write();
  }

  double seconds_for(std::size_t left) const {
    if (options_.seconds <= 0) return options_.seconds_a_kernel;
    const double share = (options_.seconds - elapsed()) / static_cast<double>(left);
    return std::clamp(kShares * share, kLeastSeconds,
                      std::max(kLeastSeconds, options_.seconds_a_kernel));
  }

  CourtJob job_for(const Case& one, const fs::path& original, json& entry) {
    CourtJob job;
    job.archive = one.archive;
    job.symbol = one.kernel->symbol;
    job.original = original;
    job.tolerance = one.kernel->tolerance;
    job.argument_types = one.kernel->argument_types;
    job.max_records = options_.records;
    const bool all = options_.verify_all || contains(options_.verify_all_of, one.size);
    job.verify = contains(options_.verify_none_of, one.size) ? CourtJob::Verify::nothing
                 : all                                       ? CourtJob::Verify::all
                                                             : CourtJob::Verify::fastest;
    for (const auto& candidate : one.kernel->candidates) {
      auto& kept = Result::candidate(entry, candidate.digest);
      kept["name"] = candidate.name;
      kept["recipe"] = candidate.recipe;
      const auto code = builds_->candidate(*one.kernel, candidate);
      if (const auto problem = builds_->problem(code); !problem.empty()) {
        kept["outcome"] = "does not compile";
        kept["reason"] = problem;
      } else {
        job.candidates.push_back(
            {candidate.digest, candidate.name, code, candidate.launch, candidate.recipe});
      }
    }
    return job;
  }

  bool conclude() {
    const bool whole = !over();
    {
      const std::lock_guard lock(mutex_);
      for (const auto& problem : problems_) result_->problem(problem);
    }
    result_->head()["finished"] = whole;
    result_->head()["compiled"] = builds_->pool().compiled();
    result_->head()["compile_seconds"] = builds_->pool().seconds();
    result_->write();
    return whole;
  }

  // From the recorders' threads.
  void heard(const WantedRun& run, const std::string& problem) {
    tell(run.workload->target + " (" + run.run->size +
         "): " + (problem.empty() ? "recorded" : problem));
    const std::lock_guard lock(mutex_);
    if (!problem.empty()) problems_.push_back(problem);
  }

  void tell(const std::string& line) {
    const std::lock_guard lock(mutex_);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.0f s: ", elapsed());
    options_.progress(seconds + line);
  }

  void report(const Case& one, const json& entry) {
    double best = 0, fastest = 0;
    unsigned accepted = 0, timed = 0;
    std::string name;
    for (const auto& candidate : entry["candidates"]) {
      timed += candidate.contains("gain");
      if (candidate.contains("gain")) fastest = std::max(fastest, candidate["gain"].get<double>());
      if (candidate["outcome"] != "accepted") continue;
      ++accepted;
      if (const double gain = candidate["gain"]; gain > best) {
        best = gain;
        name = candidate["name"];
      }
    }
    char text[160];
    std::snprintf(text, sizeof text, ": %u timed, fastest %.2fx, %u verified, best %.2fx ", timed,
                  fastest, accepted, best);
    tell(one.kernel->target + ":" + one.kernel->kernel + " (" + one.size + ")" +
         (entry["state"] == "failed" ? ": " + entry["reason"].get<std::string>() : text + name));
  }

  const RunOptions& options_;
  const std::chrono::steady_clock::time_point started_;
  Bundle bundle_;
  std::string compiler_, architecture_;
  std::unique_ptr<Result> result_;
  Builds* builds_ = nullptr;
  std::mutex mutex_;
  std::vector<std::string> problems_;
};

}  // namespace

bool run_bundle(const RunOptions& options) { return Run(options).run(); }

}  // namespace geak::worker

#include "worker/run.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>

#include "replay/archive/frame.h"
#include "replay/cuda/cuda_device.h"
#include "support/child_process.h"
#include "support/interrupt.h"
#include "worker/bundle_json.h"
#include "worker/compile.h"
#include "worker/court.h"
#include "worker/result.h"
#include "worker/workload.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Of all of them, in order.
std::string digest_of_files(const std::vector<fs::path>& files) {
  std::string bytes;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read the bundle " + file.string());
    bytes.append(std::istreambuf_iterator<char>(stream), {});
  }
  return replay::to_hex(replay::digest_of(std::as_bytes(std::span(bytes))));
}

Files below(const std::string& folder, const Files& files) {
  Files moved;
  for (const auto& [path, text] : files) moved[folder + "/" + path] = text;
  return moved;
}

// Each bundle's files go below a folder of its own; HIP's header is the first one's.
Bundle read_bundles(const std::vector<fs::path>& files) {
  Bundle all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto next = read_bundle(files[i]);
    const auto folder = "bundle" + std::to_string(i);
    const auto first_unit = all.units.size();
    for (const auto& [path, text] : next.files)
      all.files.emplace(path.starts_with("hip_on_cuda/") ? path : folder + "/" + path, text);
    for (auto& unit : next.units) {
      unit.main = folder + "/" + unit.main;
      for (auto& include : unit.includes)
        include = include == "." ? folder : folder + "/" + include;
      all.units.push_back(std::move(unit));
    }
    for (auto& kernel : next.kernels) {
      kernel.unit += first_unit;
      for (auto& candidate : kernel.candidates) candidate.files = below(folder, candidate.files);
      all.kernels.push_back(std::move(kernel));
    }
    for (auto& workload : next.workloads) {
      for (auto& unit : workload.units) unit += first_unit;
      all.workloads.push_back(std::move(workload));
    }
    std::ranges::move(next.records, std::back_inserter(all.records));
  }
  return all;
}

bool lists(const std::string& list, const std::string& word) {
  return list == "*" || ("," + list + ",").find("," + word + ",") != std::string::npos;
}

// What the card's own copy engine reaches, bytes read plus written, in bytes a nanosecond.
double copy_bandwidth(replay::cuda::CudaDevice& device) {
  constexpr std::size_t kBytes = 1ull << 30;
  const auto a = device.allocate(kBytes), b = device.allocate(kBytes);
  device.fill(a.get(), std::byte{0x5a}, kBytes);
  device.copy(b.get(), a.get(), kBytes);
  const auto& api = replay::cuda::driver();
  replay::cuda::check(api.synchronize(), "cuCtxSynchronize");
  constexpr int kTimes = 20;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) device.copy(b.get(), a.get(), kBytes);
  replay::cuda::check(api.synchronize(), "cuCtxSynchronize");
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return 2.0 * kBytes * kTimes / took.count();
}

// A kernel on the records of one size.
struct Case {
  const Kernel* kernel = nullptr;
  std::string size;
  fs::path archive;
};

class Run {
 public:
  explicit Run(const RunOptions& options) : options_(options) {}

  bool run() {
    bundle_ = read_bundles(options_.bundles);
    tools_.compiler = find_nvcc();
    open_device();
    tools_.work = options_.work;
    tools_.sources = options_.work / "sources";
    tools_.seconds = options_.record_seconds;
    tools_.recorder = recorder();
    unpack(bundle_.files, tools_.sources);
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    pool_ = std::make_unique<CompilePool>(tools_.compiler, tools_.architecture,
                                          options_.jobs ? options_.jobs : cores);
    queue_compiles();
    make_records();
    for (const auto& one : cases()) {
      if (support::interrupted()) break;
      try_case(one);
    }
    const bool whole = !support::interrupted();
    result_->head()["finished"] = whole;
    result_->head()["compiled"] = pool_->compiled();
    result_->head()["compile_seconds"] = pool_->seconds();
    result_->write();
    return whole;
  }

 private:
  void open_device() {
    replay::cuda::CudaDevice device;
    tools_.architecture = device.architecture();
    result_ = std::make_unique<Result>(options_.result, digest_of_files(options_.bundles),
                                       device.name(), device.architecture());
    if (!result_->head().contains("copy_bytes_per_ns"))
      result_->head()["copy_bytes_per_ns"] = copy_bandwidth(device);
    options_.progress("on " + device.name() + " (" + device.architecture() + ")");
  }

  // Beside this program, or in an installation's library folder.
  static fs::path recorder() {
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    for (const auto& file : {here / "libgeak-record-cuda.so",
                             here.parent_path() / "lib" / "geak" / "libgeak-record-cuda.so"})
      if (fs::exists(file)) return file;
    return {};
  }

  bool wanted(const Kernel& kernel) const {
    return options_.only.empty() ||
           ::fnmatch(options_.only.c_str(), (kernel.target + ":" + kernel.kernel).c_str(), 0) == 0;
  }
  bool wanted(const std::string& size) const {
    return options_.sizes.empty() || lists(options_.sizes, size);
  }

  std::size_t index_of(const Kernel& kernel) const {
    return static_cast<std::size_t>(&kernel - bundle_.kernels.data());
  }
  fs::path folder_of(const Kernel& kernel) const {
    return options_.work / ("kernel" + std::to_string(index_of(kernel)));
  }
  fs::path cubin_of(const Kernel& kernel, const std::string& digest) const {
    return folder_of(kernel) / (digest + ".cubin");
  }

  void queue_compiles() {
    for (const auto& kernel : bundle_.kernels) {
      if (!wanted(kernel)) continue;
      const auto& unit = bundle_.units[kernel.unit];
      fs::create_directories(folder_of(kernel));
      pool_->add({tools_.sources / unit.main, cubin_of(kernel, "original"),
                  options_of(unit, tools_.sources)});
      for (const auto& candidate : kernel.candidates) queue(kernel, unit, candidate);
    }
  }

  // Its files beside copies of the others: an include by a relative path finds them.
  void queue(const Kernel& kernel, const Unit& unit, const Candidate& candidate) {
    const auto folder = folder_of(kernel) / candidate.digest;
    auto files = bundle_.files;
    const auto own = unit.main.substr(0, unit.main.find('/') + 1);
    std::erase_if(files, [&](const auto& file) {
      return !file.first.starts_with(own) ||
             (file.first != unit.main && std::ranges::any_of(bundle_.units, [&](const Unit& other) {
                return other.main == file.first;
              }));
    });
    for (const auto& [path, text] : candidate.files) files[path] = text;
    unpack(files, folder);
    auto options = options_of(unit, folder);
    options[1] = (tools_.sources / "hip_on_cuda").string();
    pool_->add({folder / unit.main, cubin_of(kernel, candidate.digest), std::move(options)});
  }

  void make_records() {
    std::vector<std::pair<const Workload*, const Workload::Run*>> runs;
    for (const auto& workload : bundle_.workloads)
      for (const auto& run : workload.runs)
        if (wanted(run.size) && std::ranges::any_of(bundle_.kernels, [&](const auto& kernel) {
              return kernel.target == workload.target && wanted(kernel);
            }))
          runs.emplace_back(&workload, &run);
    if (runs.empty()) return;
    if (tools_.recorder.empty())
      throw std::runtime_error("libgeak-record-cuda.so is not beside geak-worker");
    // Of one program's runs the first builds it: they are done by one thread.
    std::map<const Workload*, std::vector<const Workload::Run*>> by_workload;
    for (const auto& [workload, run] : runs) by_workload[workload].push_back(run);
    std::vector<std::pair<const Workload*, std::vector<const Workload::Run*>>> all(
        by_workload.begin(), by_workload.end());
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    const auto work = [&] {
      for (std::size_t i = next++; i < all.size() && !support::interrupted(); i = next++) {
        for (const auto* run : all[i].second) {
          std::string problem;
          try {
            record(bundle_, *all[i].first, *run, tools_);
          } catch (const std::exception& error) {
            problem = error.what();
          }
          const std::lock_guard lock(mutex);
          options_.progress(all[i].first->target + " (" + run->size +
                            "): " + (problem.empty() ? "recorded" : problem));
          if (!problem.empty()) result_->problem(problem);
        }
      }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, options_.recorders); ++i) threads.emplace_back(work);
    for (auto& thread : threads) thread.join();
  }

  std::vector<Case> cases() {
    std::vector<Case> all;
    for (const auto& kernel : bundle_.kernels) {
      if (!wanted(kernel)) continue;
      for (std::size_t i = 0; i < bundle_.records.size(); ++i) {
        const auto& records = bundle_.records[i];
        if (records.target != kernel.target || !wanted(records.size)) continue;
        const auto file = options_.work / ("records" + std::to_string(i) + ".geakrec");
        if (!fs::exists(file)) {
          std::ofstream stream(file, std::ios::binary);
          stream.write(reinterpret_cast<const char*>(records.archive.data()),
                       static_cast<std::streamsize>(records.archive.size()));
        }
        all.push_back({&kernel, records.size, file});
      }
      for (const auto& workload : bundle_.workloads)
        for (const auto& run : workload.runs) {
          const auto file = options_.work / (workload.target + "." + run.size + ".geakrec");
          if (workload.target == kernel.target && wanted(run.size) && fs::exists(file))
            all.push_back({&kernel, run.size, file});
        }
    }
    return all;
  }

  void try_case(const Case& one) {
    auto& entry = result_->kernel(*one.kernel, one.size);
    if (entry["state"] == "tried") return;
    const auto original = cubin_of(*one.kernel, "original");
    if (const auto problem = pool_->result(original); !problem.empty()) {
      entry["state"] = "failed";
      entry["reason"] = "nvcc: " + problem;
      options_.progress(one.kernel->kernel + ": nvcc: " + problem);
      return;
    }
    CourtJob job;
    job.archive = one.archive;
    job.symbol = one.kernel->symbol;
    job.original = original;
    job.tolerance = one.kernel->tolerance;
    job.argument_types = one.kernel->argument_types;
    job.max_records = options_.records;
    job.verify_all = lists(options_.verify_all_of, one.size);
    job.seconds = options_.seconds_a_kernel;
    for (const auto& candidate : one.kernel->candidates) {
      auto& kept = Result::candidate(entry, candidate.digest);
      kept["name"] = candidate.name;
      kept["recipe"] = candidate.recipe;
      const auto cubin = cubin_of(*one.kernel, candidate.digest);
      if (const auto problem = pool_->result(cubin); !problem.empty()) {
        kept["outcome"] = "does not compile";
        kept["reason"] = problem;
      } else {
        job.candidates.push_back({candidate.digest, candidate.name, cubin, candidate.launch});
      }
    }
    hold(job, *one.kernel, entry);
    tell(one, entry);
    result_->write();
  }

  // Courts until all candidates have a verdict, the time is up, or one dies twice at the same
  // place.
  void hold(CourtJob& job, const Kernel& kernel, json& entry) {
    const auto start = std::chrono::steady_clock::now();
    for (int times = 0; times < 12 && !support::interrupted(); ++times) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      job.seconds = options_.seconds_a_kernel - spent.count();
      if (times > 0 && job.seconds <= 0) break;
      const std::string fault = hold_once(job, kernel, entry);
      if (fault.empty()) return;
    }
    if (entry["state"] == "begun") entry["state"] = "tried";
  }

  // Empty where the court ended well; else what ended it.
  std::string hold_once(CourtJob& job, const Kernel& kernel, json& entry) {
    const auto steps = options_.work / "court.jsonl", spec = options_.work / "court.json";
    std::ofstream(spec) << to_json(job).dump();
    fs::remove(steps);
    support::ChildOptions child;
    child.command = {fs::read_symlink("/proc/self/exe").string(), "--court", spec.string(),
                     steps.string()};
    child.timeout = std::chrono::milliseconds(static_cast<long>(job.seconds * 1000) + 60'000);
    const auto ended = support::run_child(child);
    std::string doing, working_on;
    std::ifstream stream(steps);
    for (std::string line; std::getline(stream, line);) {
      const auto step = json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!step.is_object()) continue;
      if (step.contains("original")) entry["original"] = step["original"];
      if (step.contains("begins")) {
        working_on = step["begins"];
        doing = step["doing"];
      }
      if (step.contains("result")) {
        take(kernel, entry, step["result"]);
        job.earlier[step["result"]["digest"].get<std::string>()] = step["result"];
        if (step["result"]["digest"] == working_on) working_on.clear();
      }
    }
    if (ended.succeeded()) {
      entry["state"] = "tried";
      return "";
    }
    if (ended.interrupted) return "interrupted";
    const std::string why = ended.timed_out ? "it took too long" : first_error(ended.err);
    if (working_on.empty()) {
      // The original, or nothing that a candidate did.
      entry["state"] = "failed";
      entry["reason"] = why;
      job.seconds = 0;
      return "";
    }
    // The last phase that the court announced: was it the original that faulted?
    const auto phase = ended.err.rfind("phase: ");
    if (!job.recorded_inputs_only && doing == "verifying" && phase != std::string::npos &&
        ended.err.compare(phase + 7, 8, "original") == 0) {
      job.recorded_inputs_only = true;
      return why;
    }
    json lost = {{"digest", working_on}, {"outcome", "rejected"}, {"reason", doing + ": " + why}};
    take(kernel, entry, lost);
    job.earlier[working_on] = lost;
    return why;
  }

  // Accepted ones carry what an import needs.
  void take(const Kernel& kernel, json& entry, const json& step) {
    auto& kept = Result::candidate(entry, step["digest"]);
    kept.update(step);
    if (step.value("outcome", "") != "accepted") return;
    for (const auto& candidate : kernel.candidates)
      if (step["digest"] == candidate.digest) {
        kept["variant"] = to_json(candidate);
        kept["variant"].erase("files");
      }
  }

  void tell(const Case& one, const json& entry) const {
    double best = 0;
    unsigned accepted = 0, timed = 0;
    std::string name;
    for (const auto& candidate : entry["candidates"]) {
      timed += candidate.contains("gain");
      if (candidate["outcome"] != "accepted") continue;
      ++accepted;
      if (const double gain = candidate["gain"]; gain > best) {
        best = gain;
        name = candidate["name"];
      }
    }
    char text[160];
    std::snprintf(text, sizeof text, ": %u timed, %u verified, best %.2fx ", timed, accepted, best);
    options_.progress(
        one.kernel->target + ":" + one.kernel->kernel + " (" + one.size + ")" +
        (entry["state"] == "failed" ? ": " + entry["reason"].get<std::string>() : text + name));
  }

  const RunOptions& options_;
  Bundle bundle_;
  RecordingTools tools_;
  std::unique_ptr<Result> result_;
  std::unique_ptr<CompilePool> pool_;
};

}  // namespace

bool run_bundle(const RunOptions& options) { return Run(options).run(); }

}  // namespace geak::worker

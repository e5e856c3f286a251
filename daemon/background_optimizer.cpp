#include "daemon/background_optimizer.h"

#include <filesystem>

#include "daemon/geak_command.h"

namespace geak::daemon {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCacheStamp = "cache-stamp";

// States in which the optimizer has something to do, see docs/schemas.md.
bool is_unfinished(const KernelState& kernel) {
  return kernel.state == "marked" || kernel.state == "stale" || kernel.state == "interrupted";
}

// The unswapped twin, as it is in the sources now: its workload is what is recorded. Not by the
// user's own build tool, which may be at work in the folder.
llvm::Expected<std::string> build_originals(const std::string& build_folder, std::stop_token stop) {
  // What compilers say while all is well is no progress of ours.
  return run_command("cmake", {"-P", build_folder + "/geak/build_original.cmake"}, {{}, stop});
}

std::vector<std::string> folders_to_watch(const BuildFolder& build) {
  std::vector<std::string> folders{build.path + "/geak", build.path + "/geak/targets"};
  for (const auto& target : build.targets)
    for (const auto& source : target.sources) {
      auto folder = fs::path(source).parent_path();
      if (fs::is_directory(folder)) folders.push_back(folder.string());
    }
  return folders;
}

}  // namespace

BackgroundOptimizer::BackgroundOptimizer(BackgroundPolicy policy, Events events)
    : policy_(policy),
      events_(std::move(events)),
      queue_(std::make_unique<WorkQueue>(
          [this](const Job& job, std::stop_token stop) { run(job, stop); })),
      settler_([this](std::stop_token stop) { settle(stop); }) {}

BackgroundOptimizer::~BackgroundOptimizer() {
  watcher_.reset();
  settler_.request_stop();
  settler_.join();
  queue_.reset();
}

void BackgroundOptimizer::start(const std::vector<std::string>& build_folders) {
  std::vector<std::string> watched;
  for (const auto& path : build_folders) {
    auto folder = BuildFolder::read(path);
    if (!folder) {
      events_.error(llvm::toString(folder.takeError()));
      continue;
    }
    for (auto& each : folders_to_watch(*folder)) watched.push_back(std::move(each));
    std::lock_guard lock(mutex_);
    folders_.push_back(std::move(*folder));
    changed_folders_[path] = true;
  }
  auto watcher =
      FileWatcher::watch(watched, [this](const std::string& path) { file_changed(path); });
  if (watcher)
    watcher_ = std::move(*watcher);
  else
    events_.error(llvm::toString(watcher.takeError()));
  change_.notify_all();
}

std::string BackgroundOptimizer::progress_of(const Job& job) const {
  if (queue_->running() != job) return {};
  std::lock_guard lock(mutex_);
  return progress_job_ == job ? progress_message_ : std::string();
}

void BackgroundOptimizer::file_changed(const std::string& path) {
  std::lock_guard lock(mutex_);
  for (const auto& folder : folders_) {
    const bool manifest = llvm::StringRef(path).starts_with(folder.path + "/geak/targets/");
    const bool stamp = path == folder.path + "/geak/" + kCacheStamp;
    if (!manifest && !stamp && !folder.target_of(path)) continue;
    changed_folders_[folder.path] |= !stamp;
    last_change_ = std::chrono::steady_clock::now();
  }
  change_.notify_all();
}

// Waits for changes to end, then looks again at what changed.
void BackgroundOptimizer::settle(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (change_.wait(lock, stop, [this] { return !changed_folders_.empty(); })) {
    while (!stop.stop_requested() &&
           std::chrono::steady_clock::now() < last_change_ + policy_.quiet_period)
      change_.wait_until(lock, stop, last_change_ + policy_.quiet_period, [] { return false; });
    if (stop.stop_requested()) return;
    const auto folders = std::exchange(changed_folders_, {});
    lock.unlock();
    for (const auto& [folder, sources_changed] : folders) {
      refresh(folder, stop);
      if (policy_.automatic && sources_changed) request_unfinished(folder);
    }
    lock.lock();
  }
}

void BackgroundOptimizer::refresh(const std::string& build_folder, std::stop_token stop) {
  auto folder = BuildFolder::read(build_folder);
  if (!folder) return events_.error(llvm::toString(folder.takeError()));
  {
    std::lock_guard lock(mutex_);
    for (auto& known : folders_)
      if (known.path == build_folder) known = *folder;
  }
  auto status = run_geak({"status", "-p", build_folder, "--json"}, {{}, stop});
  if (!status && stop.stop_requested()) return llvm::consumeError(status.takeError());
  if (!status) return events_.error(llvm::toString(status.takeError()));
  auto kernels = parse_status(build_folder, *status);
  if (!kernels) return events_.error(llvm::toString(kernels.takeError()));
  kernels_.replace(build_folder, std::move(*kernels));
  events_.kernels_changed();
}

void BackgroundOptimizer::request_unfinished(const std::string& build_folder) {
  for (const auto& kernel : kernels_.all())
    if (kernel.build_folder == build_folder && is_unfinished(kernel))
      queue_->request({build_folder, kernel.target});
}

void BackgroundOptimizer::run(const Job& job, std::stop_token stop) {
  const auto report = [&](Progress::Phase phase, std::string message) {
    {
      std::lock_guard lock(mutex_);
      progress_job_ = job;
      progress_message_ = phase == Progress::Phase::End ? "" : message;
    }
    events_.progress({job, phase, std::move(message)});
  };
  const CommandOptions options{
      .on_error_line =
          [&](std::string_view line) { report(Progress::Phase::Report, std::string(line)); },
      .stop = stop};
  report(Progress::Phase::Begin, "building the originals");
  auto result = build_originals(job.build_folder, stop);
  if (result && !stop.stop_requested()) {
    report(Progress::Phase::Report, "optimizing");
    result = run_geak({"optimize", "-p", job.build_folder, "--target", job.target}, options);
  }
  if (!result && !stop.stop_requested()) {
    const auto message = llvm::toString(result.takeError());
    report(Progress::Phase::End, "failed");
    events_.error(message);
    return;
  }
  if (!result) llvm::consumeError(result.takeError());  // Stopped on request: no fault.
  // Not with `stop`: what was found before the work was stopped is shown.
  refresh(job.build_folder, {});
  report(Progress::Phase::End, stop.stop_requested() ? "stopped" : "done");
}

}  // namespace geak::daemon

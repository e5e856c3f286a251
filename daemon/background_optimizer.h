// Decides when marked kernels are optimized without anybody asking, and runs it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/build_folder.h"
#include "daemon/file_watcher.h"
#include "daemon/kernel_index.h"
#include "daemon/work_queue.h"

namespace geak::daemon {

// When background work starts by itself.
struct BackgroundPolicy {
  // Off: only `geak.optimize` starts work. For users on battery, and for tests of the rest.
  bool automatic = true;
  // A source just saved is likely to be saved again soon, and half a change seldom compiles; a
  // recording and search started too early is thrown away.
  std::chrono::milliseconds quiet_period{2000};
};

struct Progress {
  Job job;
  enum class Phase { Begin, Report, End } phase;
  std::string message;
};

// Owns the build folders, what is known of their kernels, the watch on them and the queue. The
// optimizer itself runs as the child `geak optimize`: a compiler crash in it must not take the
// editor's server along, and stopping it is a signal that it already handles.
class BackgroundOptimizer {
 public:
  struct Events {
    std::function<void()> kernels_changed;
    std::function<void(const Progress&)> progress;
    std::function<void(const std::string& message)> error;
  };

  BackgroundOptimizer(BackgroundPolicy policy, Events events);
  ~BackgroundOptimizer();

  // Reads the folders' manifests, starts watching, refreshes. Errors go to Events::error.
  void start(const std::vector<std::string>& build_folders);

  void optimize(const Job& job) { queue_->request(job); }
  void stop(const Job& job) { queue_->cancel(job); }
  void wait_until_idle() { queue_->wait_until_idle(); }

  const KernelIndex& kernels() const { return kernels_; }
  // Last progress message of a running job, empty when it isn't running.
  std::string progress_of(const Job& job) const;

 private:
  void refresh(const std::string& build_folder, std::stop_token stop);
  void run(const Job& job, std::stop_token stop);
  void file_changed(const std::string& path);
  void settle(std::stop_token stop);
  void request_unfinished(const std::string& build_folder);

  BackgroundPolicy policy_;
  Events events_;
  KernelIndex kernels_;

  mutable std::mutex mutex_;
  std::condition_variable_any change_;
  std::vector<BuildFolder> folders_;
  // Build folders with changes that have not settled; true where a source or manifest changed. A
  // change of the cache alone shows new results but asks for no new work, else a kernel that the
  // optimizer can't finish would be tried again for ever.
  std::map<std::string, bool> changed_folders_;
  std::chrono::steady_clock::time_point last_change_;
  Job progress_job_;
  std::string progress_message_;

  // In this order: the watcher must end before the settler, and both before the queue they feed.
  std::unique_ptr<WorkQueue> queue_;
  std::jthread settler_;
  std::unique_ptr<FileWatcher> watcher_;
};

}  // namespace geak::daemon

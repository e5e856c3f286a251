// Runs optimizations in the background, one at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace geak::daemon {

struct Job {
  std::string build_folder;
  std::string target;
  bool operator==(const Job&) const = default;
};

// One at a time, because a trial's times (on a GPU) and a build's cores are shared: two
// optimizations side by side would spoil each other's numbers and the user's machine. A job asked
// for while it waits is the same job; asked for while it runs, it runs once more, since the source
// may have changed under it.
class WorkQueue {
 public:
  // Runs on the queue's thread; returns early when the token says stop.
  using Run = std::function<void(const Job&, std::stop_token)>;

  explicit WorkQueue(Run run);
  ~WorkQueue();  // stops the running job and drops the waiting ones

  void request(const Job& job);
  void cancel(const Job& job);  // running or waiting
  std::optional<Job> running() const;
  void wait_until_idle();

 private:
  void loop(std::stop_token stop);

  Run run_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> waiting_;
  std::optional<Job> running_;
  std::stop_source stop_running_{std::nostopstate};
  std::jthread thread_;
};

}  // namespace geak::daemon

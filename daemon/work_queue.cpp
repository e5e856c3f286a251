#include "daemon/work_queue.h"

#include <algorithm>

namespace geak::daemon {

WorkQueue::WorkQueue(Run run)
    : run_(std::move(run)), thread_([this](std::stop_token stop) { loop(stop); }) {}

WorkQueue::~WorkQueue() {
  thread_.request_stop();
  {
    std::lock_guard lock(mutex_);
    if (running_) stop_running_.request_stop();
  }
  thread_.join();
}

void WorkQueue::request(const Job& job) {
  std::lock_guard lock(mutex_);
  if (std::find(waiting_.begin(), waiting_.end(), job) != waiting_.end()) return;
  waiting_.push_back(job);
  changed_.notify_all();
}

void WorkQueue::cancel(const Job& job) {
  std::lock_guard lock(mutex_);
  std::erase(waiting_, job);
  if (running_ == job) stop_running_.request_stop();
  changed_.notify_all();
}

std::optional<Job> WorkQueue::running() const {
  std::lock_guard lock(mutex_);
  return running_;
}

void WorkQueue::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !running_; });
}

void WorkQueue::loop(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    if (stop.stop_requested()) return;
    running_ = waiting_.front();
    waiting_.pop_front();
    stop_running_ = std::stop_source();
    const Job job = *running_;
    const auto token = stop_running_.get_token();
    lock.unlock();
    run_(job, token);
    lock.lock();
    running_.reset();
    changed_.notify_all();
  }
}

}  // namespace geak::daemon

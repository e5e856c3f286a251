#include "emulator/hsa/copy_engine.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "emulator/hsa/runtime.h"
#include "emulator/model/copy_time.h"

namespace geak::emulator {
namespace {

const Agent* owner_of(const void* address) {
  const auto allocation = Runtime::instance().allocations.find(address);
  return allocation && allocation->pool ? allocation->pool->owner : nullptr;
}

DeviceClock::Span finish(const CopyJob& job) {
  std::uint64_t start = job.not_before;
  for (const auto& signal : job.dependencies) {
    start = std::max(start, end_time(signal_of(signal)));
  }
  return job.clock ? job.clock->advance(start, job.duration_ns) : DeviceClock::Span{start, start};
}

}  // namespace

CopyEngine& CopyEngine::instance() {
  static CopyEngine* engine = new CopyEngine;  // its thread outlives static destruction
  return *engine;
}

void CopyEngine::submit(CopyJob job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (!started_) {
      started_ = true;
      std::thread([this] { serve(); }).detach();
    }
  }
  Runtime::instance().changes.notify();
}

bool CopyEngine::take_ready(CopyJob& job) {
  const std::lock_guard lock(mutex_);
  const auto ready = std::find_if(jobs_.begin(), jobs_.end(), [](const CopyJob& each) {
    return std::all_of(each.dependencies.begin(), each.dependencies.end(), [](hsa_signal_t signal) {
      return value_of(signal_of(signal)).load(std::memory_order_acquire) == 0;
    });
  });
  if (ready == jobs_.end()) return false;
  job = std::move(*ready);
  jobs_.erase(ready);
  return true;
}

void CopyEngine::serve() {
  // Signals of the process are for the program's own threads.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  auto& changes = Runtime::instance().changes;
  while (true) {
    const auto seen = changes.epoch();
    CopyJob job;
    if (!take_ready(job)) {
      changes.wait(seen);
      continue;
    }
    job.work();
    const auto span = finish(job);
    complete(job.completion, span.start, span.end);
  }
}

void charge_copy(CopyJob& job, const Agent* to, const Agent* from, std::uint64_t bytes) {
  const Agent* to_gpu = to && to->gpu ? to : nullptr;
  const Agent* from_gpu = from && from->gpu ? from : nullptr;
  job.duration_ns = copy_time_ns(to_gpu ? to_gpu->device : nullptr,
                                 from_gpu ? from_gpu->device : nullptr, to_gpu == from_gpu, bytes);
  if (to_gpu) {
    job.clock = const_cast<DeviceClock*>(&to_gpu->copies_in);
  } else if (from_gpu) {
    job.clock = const_cast<DeviceClock*>(&from_gpu->copies_out);
  }
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
  if (auto& checker = Runtime::instance().checker) checker->host_copied(to, from, bytes);
}

void copy_now(void* to, const void* from, std::size_t bytes) {
  CopyJob job;
  charge_copy(job, owner_of(to), owner_of(from), bytes);
  job.not_before = Runtime::instance().host_clock.now();
  copy_bytes(to, from, bytes);
  Runtime::instance().host_clock.saw(finish(job).end);
}

}  // namespace geak::emulator

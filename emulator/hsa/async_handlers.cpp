#include "emulator/hsa/async_handlers.h"

#include <pthread.h>
#include <signal.h>

#include <thread>

#include "emulator/hsa/signal_pool.h"

namespace geak::emulator {

void AsyncHandlers::add(const Entry& entry) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back(entry);
    if (!started_) {
      started_ = true;
      std::thread([this] { serve(); }).detach();
    }
  }
  changes_.notify();
}

void AsyncHandlers::take_ready(std::vector<Entry>& ready, std::vector<hsa_signal_value_t>& values) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  std::size_t kept = 0;
  for (auto& entry : entries_) {
    const auto value = value_of(signal_of(entry.signal)).load(std::memory_order_acquire);
    const bool met = satisfied(value, entry.condition, entry.value);
    if (met && entry.due == Entry{}.due) entry.due = now + kInterruptLatency;
    if (met && now >= entry.due) {
      ready.push_back(entry);
      values.push_back(value);
    } else {
      entries_[kept++] = entry;
    }
  }
  entries_.resize(kept);
}

void AsyncHandlers::serve() {
  // Signals of the process are for the program's own threads.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::vector<Entry> ready;
  std::vector<hsa_signal_value_t> values;
  while (true) {
    const auto seen = changes_.epoch();
    ready.clear();
    values.clear();
    take_ready(ready, values);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (!ready[i].handler(values[i], ready[i].argument)) continue;
      const std::lock_guard lock(mutex_);  // it wants to be called again
      ready[i].due = {};
      entries_.push_back(ready[i]);
    }
    if (ready.empty()) changes_.wait(seen);
  }
}

}  // namespace geak::emulator

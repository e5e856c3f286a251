// hsa_amd_signal_async_handler: callbacks when signals meet their conditions.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <chrono>
#include <mutex>
#include <vector>

#include "emulator/hsa/change_notifier.h"

namespace geak::emulator {

// One thread calls all handlers, as ROCr does; it starts with the first handler.
//
// A handler is called no sooner than kInterruptLatency after its condition was seen to be met. On
// hardware an interrupt lies between, and HIP counts on it: it attaches the timestamps to a command
// after it has rung the doorbell, and a handler that comes before finds none and takes the host's
// clock, which has nothing to do with the modelled one. A millisecond, since the thread that rang
// may have lost its core to the one that serves the queue. Nobody waits for it: HIP waits on the
// signals themselves.
class AsyncHandlers {
 public:
  static constexpr std::chrono::milliseconds kInterruptLatency{1};

  struct Entry {
    hsa_signal_t signal;
    hsa_signal_condition_t condition;
    hsa_signal_value_t value;
    hsa_amd_signal_handler handler;
    void* argument;
    std::chrono::steady_clock::time_point due{};  // set when the condition is seen to be met
  };

  explicit AsyncHandlers(ChangeNotifier& changes) : changes_(changes) {}
  void add(const Entry& entry);

 private:
  void serve();
  // Takes the entries whose condition is met and whose latency is over.
  void take_ready(std::vector<Entry>& ready, std::vector<hsa_signal_value_t>& values);

  ChangeNotifier& changes_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  bool started_ = false;
};

}  // namespace geak::emulator

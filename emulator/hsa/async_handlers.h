// hsa_amd_signal_async_handler: callbacks when signals meet their conditions.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <mutex>
#include <vector>

#include "emulator/hsa/change_notifier.h"

namespace geak::emulator {

// One thread calls all handlers, as ROCr does; it starts with the first handler.
class AsyncHandlers {
 public:
  struct Entry {
    hsa_signal_t signal;
    hsa_signal_condition_t condition;
    hsa_signal_value_t value;
    hsa_amd_signal_handler handler;
    void* argument;
  };

  explicit AsyncHandlers(ChangeNotifier& changes) : changes_(changes) {}
  void add(const Entry& entry);

 private:
  void serve();
  // Takes the entries whose condition is met.
  void take_ready(std::vector<Entry>& ready, std::vector<hsa_signal_value_t>& values);

  ChangeNotifier& changes_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  bool started_ = false;
};

}  // namespace geak::emulator

// Copies by the devices' copy engines.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "emulator/hsa/agent.h"
#include "emulator/hsa/device_clock.h"

namespace geak::emulator {

// A copy that waits for signals, then does its work and completes its own.
struct CopyJob {
  std::vector<hsa_signal_t> dependencies;  // done when all are 0
  hsa_signal_t completion{};
  DeviceClock* clock = nullptr;  // of the engine that does it; nullptr: no device is busy
  double duration_ns = 0;
  std::uint64_t not_before = 0;
  std::function<void()> work;
};

// One thread does all copies, whichever is ready first; it starts with the first.
class CopyEngine {
 public:
  static CopyEngine& instance();
  void submit(CopyJob job);

 private:
  void serve();
  bool take_ready(CopyJob& job);

  std::mutex mutex_;
  std::vector<CopyJob> jobs_;
  bool started_ = false;
};

// The engine and modelled time of a copy between the owners of two addresses.
void charge_copy(CopyJob& job, const Agent* to, const Agent* from, std::uint64_t bytes);

// The bytes of a copy, of which the checks learn.
void copy_bytes(void* to, const void* from, std::size_t bytes);

// A copy that the host waits for: at once, and the host's modelled time advances with it.
void copy_now(void* to, const void* from, std::size_t bytes);

}  // namespace geak::emulator

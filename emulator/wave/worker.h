// A host thread's part in the execution of dispatches.
#pragma once

#include <memory>
#include <vector>

#include "emulator/wave/launch.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {

// Not thread safe: one a thread. Keeps the memory of waves from one dispatch to the next.
class Worker {
 public:
  // Runs workgroups of the launch until none is left to start and those started here have ended, or
  // the launch stops. `on_long`: called once, when the launch turns out to have work for others.
  template <typename OnLong>
  void work_on(Launch& launch, OnLong&& on_long) {
    begin(launch);
    bool called = false;
    while (step(launch)) {
      if (!called && executed_ > kWorthSharing) {
        called = true;
        on_long();
      }
    }
    end(launch);
  }

 private:
  // Instructions after which waking another thread costs little in comparison.
  static constexpr std::uint64_t kWorthSharing = 2000;

  void begin(Launch& launch);
  bool step(Launch& launch);
  void end(Launch& launch);

  enum class Progress { ended, advanced, spinning, blocked };
  Progress run_group(Launch& launch, Workgroup& group);
  bool start_group(Launch& launch);
  void run_turn(Launch& launch, WaveSlot& wave);
  bool release_barrier(Workgroup& group);
  void count_barrier_waits(Workgroup& group);
  void account(const Wave& wave);
  void report_fault(Launch& launch, const Wave& wave);
  void idle(unsigned sweeps);

  std::vector<std::unique_ptr<Workgroup>> resident_;
  std::vector<std::unique_ptr<Workgroup>> spare_;
  Counters counters_;
  MemoryMeter meter_;
  std::uint64_t executed_ = 0;  // instructions of ended waves, in this launch
  std::size_t wanted_ = 1;      // how many workgroups to hold
  unsigned idle_sweeps_ = 0;
  unsigned sweeps_ = 0;          // since a workgroup ended, where a schedule ends turns early
  std::vector<unsigned> order_;  // of the waves in a scheduled turn
};

}  // namespace geak::emulator

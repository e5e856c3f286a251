// The seam for tools that watch a dispatch instruction by instruction (geak check). A dispatch
// without a monitor runs by the plain interpreter and pays nothing for it.
#pragma once

#include <cstdint>

namespace geak::emulator {

class Launch;
struct Workgroup;
struct WaveSlot;

// What a monitor keeps with a workgroup; lives from one use of the workgroup's memory to the next.
struct MonitorData {
  virtual ~MonitorData() = default;
};

// Called by the threads that run the waves; a monitor that can't be called by several at once
// locks.
class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void begin_dispatch(Launch& launch) = 0;
  // The waves are set up and none has run.
  virtual void begin_workgroup(Workgroup& group) = 0;
  // Instead of run_wave(), which says what this has to do.
  virtual void run(WaveSlot& wave, std::int64_t quantum) = 0;
  // All waves that have not ended stand at a barrier and are about to go on.
  virtual void pass_barrier(Workgroup& group) = 0;
  virtual void end_workgroup(Workgroup& group) = 0;
  // No wave runs any more; the dispatch has not completed for the host.
  virtual void end_dispatch(Launch& launch) = 0;
};

}  // namespace geak::emulator

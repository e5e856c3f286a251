// One dispatch in execution: what the threads that work on it share.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "emulator/model/counters.h"
#include "emulator/model/memory_meter.h"
#include "emulator/wave/decoded_programs.h"
#include "emulator/wave/dispatch.h"
#include "emulator/wave/global_wave_sync.h"
#include "emulator/wave/kernel_descriptor.h"
#include "emulator/wave/schedule.h"
#include "emulator/wave/wave.h"
#include "emulator/wave/workgroup_sample.h"

namespace geak::emulator {

class Launch : public WaveHost {
 public:
  // `timeout`: after which an endless loop is an error; zero for none.
  Launch(const KernelDispatch& dispatch, const DecodedPrograms& programs,
         std::chrono::nanoseconds timeout, GlobalWaveSync& device_gws);

  // Why this dispatch can't run on the device; checked before any wave starts.
  std::optional<ExecutionError> check() const;

  // The next workgroup to start, in order of its linear id unless there is a schedule; false when
  // none is left. `in_half`: of a sample, whether it belongs to the half (WorkgroupSample).
  bool take(std::uint32_t (&id)[3], bool& in_half);
  bool has_more() const { return next_.load(std::memory_order_relaxed) < to_run_; }
  // Whether a thread would find something to start now.
  bool can_start() const {
    return has_more() && !stopped() && resident.load(std::memory_order_relaxed) < resident_limit_;
  }
  std::uint64_t workgroups() const { return workgroups_; }
  std::uint64_t linear_id(const std::uint32_t (&id)[3]) const {
    return id[0] + std::uint64_t{groups[0]} * (id[1] + std::uint64_t{groups[1]} * id[2]);
  }
  Residency residency() const {
    return emulator::residency(*dispatch.device, counters_.occupancy, workgroups_,
                               waves_per_workgroup);
  }

  // How many workgroups the device holds at once; the scheduler starts no more.
  std::uint64_t resident_limit() const { return resident_limit_; }

  // The first error ends the dispatch for all threads.
  void fail(ExecutionError error);
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }
  // Looks at cancellation and the time limit; `wave` is one that runs, for the message.
  void check_time(const Wave& wave);

  // What a thread counted.
  void merge(const Counters& counters, MemoryMeter& meter);
  // When all threads have left: what a sample counted becomes what all would.
  void complete();
  Counters& counters() { return counters_; }
  std::optional<ExecutionError> take_error();

  // "kernel 'f', workgroup (1, 0, 0), wave 2, in g+0x10": for messages.
  std::string place(const Wave& wave) const;

  const Instruction* find_code(Wave& wave, std::uint64_t address) override;
  void send_message(Wave& wave, unsigned message) override;

  const KernelDispatch& dispatch;
  const KernelDescriptor descriptor;
  const DecodedPrograms& programs;
  DecodedPrograms::Place entry;
  std::array<std::uint32_t, 3> groups{1, 1, 1};  // grid in workgroups
  std::uint32_t waves_per_workgroup = 1;         // of a full workgroup
  // Of the device: the HIP runtime initializes it by a kernel of its own before the one that uses
  // it.
  GlobalWaveSync& gws;
  std::atomic<std::uint64_t> resident{0};
  std::optional<Schedule> schedule = Schedule::of_environment();

 private:
  std::string function_at(const Wave& wave) const;

  std::uint64_t workgroups_ = 0;
  std::optional<WorkgroupSample> sample_;
  std::uint64_t to_run_ = 0;  // workgroups: all, or the sample
  std::uint64_t resident_limit_ = 1;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::chrono::nanoseconds timeout_;
  std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;
  Counters counters_;
  DistinctLines footprint_, half_footprint_;
  std::array<std::unique_ptr<DieLines>, MemoryMeter::kMostDies> by_die_;  // of several dies
  std::optional<ExecutionError> error_;
};

}  // namespace geak::emulator

#include "emulator/wave/worker.h"

#include <sched.h>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <thread>

#include "emulator/isa/execution_log.h"
#include "emulator/isa/interpreter.h"
#include "emulator/wave/monitor.h"
#include "emulator/wave/wave_setup.h"

namespace geak::emulator {
namespace {

// Instructions that a wave runs before others get their turn. Waves that spin on memory use it up;
// long ones lose nothing by it, since their state is small in comparison.
constexpr std::int64_t kQuantum = 20'000;

ExecutionError::Kind kind_of(FaultKind::Value kind) {
  switch (kind) {
    case FaultKind::unknown_instruction:
      return ExecutionError::Kind::unknown_instruction;
    case FaultKind::memory:
      return ExecutionError::Kind::memory_fault;
    case FaultKind::trap:
      return ExecutionError::Kind::trap;
    default:
      return ExecutionError::Kind::internal;
  }
}

}  // namespace

void Worker::begin(Launch& launch) {
  counters_ = Counters{};
  meter_.begin(*launch.dispatch.device, launch.residency());
  executed_ = 0;
  wanted_ = launch.schedule ? launch.schedule->workgroups_at_once() : 1;
  idle_sweeps_ = sweeps_ = 0;
}

bool Worker::start_group(Launch& launch) {
  if (!launch.has_more()) return false;
  if (launch.resident.fetch_add(1, std::memory_order_relaxed) >= launch.resident_limit()) {
    launch.resident.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  if (spare_.empty()) spare_.push_back(std::make_unique<Workgroup>());
  Workgroup& group = *spare_.back();
  bool in_half = false;
  if (!launch.take(group.id, in_half)) {
    launch.resident.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  group.launch = &launch;
  group.memory = &meter_;
  set_up_workgroup(group);
  if (launch.dispatch.monitor) launch.dispatch.monitor->begin_workgroup(group);
  meter_.begin_workgroup(launch.linear_id(group.id), in_half);
  ++counters_.workgroups;
  counters_.waves += group.waves;
  resident_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  return true;
}

// One turn for every resident workgroup; false when there is nothing left to do here.
bool Worker::step(Launch& launch) {
  while (resident_.size() < wanted_ && start_group(launch)) {
  }
  if (resident_.empty() || launch.stopped()) return false;
  bool ended = false, advanced = false, spinning = false;
  for (std::size_t n = 0; n < resident_.size() && !launch.stopped();) {
    const Progress progress = run_group(launch, *resident_[n]);
    if (progress == Progress::ended) {
      ended = true;
      spare_.push_back(std::move(resident_[n]));
      resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(n));
      launch.resident.fetch_sub(1, std::memory_order_relaxed);
      continue;
    }
    advanced |= progress == Progress::advanced;
    spinning |= progress == Progress::spinning;
    ++n;
  }
  if (resident_.empty()) return launch.has_more() && !launch.stopped();
  launch.check_time(*resident_.front()->slots[0]);
  // A wave that a schedule interrupts does not spin; after so many turns it may.
  constexpr unsigned kPatience = 300;
  sweeps_ = ended ? 0 : sweeps_ + 1;
  if (launch.schedule && launch.schedule->interrupts() && sweeps_ % kPatience) return true;
  if (ended || advanced) {
    idle_sweeps_ = 0;
    return true;
  }
  // All of them wait for something, perhaps for a workgroup that has not started.
  const std::size_t before = resident_.size();
  wanted_ = before * 2;
  while (resident_.size() < wanted_ && start_group(launch)) {
  }
  wanted_ = resident_.size();
  if (resident_.size() == before && !spinning) idle(idle_sweeps_++);
  if (resident_.size() == before && spinning) sched_yield();
  return true;
}

// Blocked waves wait for the host or for other threads: let those run.
void Worker::idle(unsigned sweeps) {
  if (sweeps < 16)
    sched_yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(std::min(sweeps, 200u)));
}

Worker::Progress Worker::run_group(Launch& launch, Workgroup& group) {
  bool passed_barrier = false, spinning = false;
  for (;;) {
    bool blocked_only = true;
    if (launch.schedule) [[unlikely]]
      launch.schedule->order_turn(order_, group.waves);
    for (unsigned n = 0; n < group.waves; ++n) {
      WaveSlot& wave = *group.slots[launch.schedule ? order_[n] : n];
      if (wave.state == WaveState::ended || wave.state == WaveState::at_barrier) continue;
      run_turn(launch, wave);
      switch (wave.state) {
        case WaveState::ended:
          account(wave);
          counters_.longest_wave_cycles = std::max(counters_.longest_wave_cycles, cycles_of(wave));
          ++group.ended;
          break;
        case WaveState::at_barrier:
          ++counters_.barriers;
          break;
        case WaveState::faulted:
          report_fault(launch, wave);
          return Progress::advanced;
        case WaveState::running:
          blocked_only = false;
          break;
        case WaveState::sleeping:
        case WaveState::waiting:
          break;
      }
      if (launch.stopped()) return Progress::advanced;
    }
    if (group.ended == group.waves) {
      if (launch.dispatch.monitor) launch.dispatch.monitor->end_workgroup(group);
      return Progress::ended;
    }
    if (release_barrier(group)) {
      passed_barrier = true;
      continue;
    }
    spinning |= !blocked_only;
    if (passed_barrier) return Progress::advanced;
    return spinning ? Progress::spinning : Progress::blocked;
  }
}

void Worker::run_turn(Launch& launch, WaveSlot& wave) {
  if (launch.dispatch.monitor) [[unlikely]]
    launch.dispatch.monitor->run(wave, kQuantum);
  else if (launch.schedule && launch.schedule->interrupts()) [[unlikely]]
    run_instructions(wave, launch.schedule->turn());
  else
    run_wave(wave, kQuantum);
}

// All waves that have not ended stand at the barrier: they go on.
bool Worker::release_barrier(Workgroup& group) {
  for (unsigned n = 0; n < group.waves; ++n) {
    const WaveState state = group.slots[n]->state;
    if (state != WaveState::ended && state != WaveState::at_barrier) return false;
  }
  if (Monitor* monitor = group.launch->dispatch.monitor) monitor->pass_barrier(group);
  meter_.pass_barrier();
  count_barrier_waits(group);
  for (unsigned n = 0; n < group.waves; ++n) {
    if (group.slots[n]->state == WaveState::at_barrier) group.slots[n]->state = WaveState::running;
  }
  return true;
}

// How much less than the slowest one each wave has executed since the last barrier.
void Worker::count_barrier_waits(Workgroup& group) {
  std::uint64_t most = 0, sum = 0, waves = 0;
  for (unsigned n = 0; n < group.waves; ++n) {
    WaveSlot& wave = *group.slots[n];
    if (wave.state != WaveState::at_barrier) continue;
    const std::uint64_t now = executed_instructions(wave);
    const std::uint64_t since = now - wave.executed_at_barrier;
    wave.executed_at_barrier = now;
    most = std::max(most, since);
    sum += since;
    ++waves;
  }
  counters_.barrier_wait_instructions += most * waves - sum;
  std::uint64_t last = 0;
  for (unsigned n = 0; n < group.waves; ++n) {
    if (group.slots[n]->state == WaveState::at_barrier)
      last = std::max(last, cycles_of(*group.slots[n]));
  }
  for (unsigned n = 0; n < group.waves; ++n) {
    WaveSlot& wave = *group.slots[n];
    if (wave.state == WaveState::at_barrier)
      counters_.barrier_stall_cycles += wave.clock.wait_until(cycles_of(wave), last);
  }
}

void Worker::account(const Wave& wave) {
  for (unsigned n = 0; n < kInstructionClasses; ++n) {
    counters_.executed[n] += wave.executed[n];
    counters_.active_lanes[n] += wave.active_lanes[n];
    executed_ += wave.executed[n];
  }
}

void Worker::report_fault(Launch& launch, const Wave& wave) {
  launch.fail(
      {kind_of(wave.fault_kind), fmt::format("{}: {}", launch.place(wave), wave.fault_message)});
}

void Worker::end(Launch& launch) {
  for (auto& group : resident_) {
    for (unsigned n = 0; n < group->waves; ++n) {
      if (group->slots[n]->state != WaveState::ended) account(*group->slots[n]);
    }
    launch.resident.fetch_sub(1, std::memory_order_relaxed);
    spare_.push_back(std::move(group));
  }
  resident_.clear();
  counters_.memory = meter_.counters;
  launch.merge(counters_, meter_);
  if (ExecutionLog* log = ExecutionLog::instance()) log->collect();
}

}  // namespace geak::emulator

// The thread of a queue: takes packets in order, runs kernels, waits at barriers, completes
// signals.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "emulator/hsa/diagnostics.h"
#include "emulator/hsa/dispatch.h"
#include "emulator/hsa/queue.h"
#include "emulator/hsa/runtime.h"
#include "emulator/hsa/system_events.h"

namespace geak::emulator {
namespace {

std::atomic_ref<std::uint64_t> index_of(volatile std::uint64_t& index) {
  return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(index));
}

unsigned type_of(std::uint16_t header) {
  return (header >> HSA_PACKET_HEADER_TYPE) & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

}  // namespace

void Queue::work() {
  // Signals of the process are for the program's own threads.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  process_packets();
  if (!destroyed_by_callback_) return;
  thread_.detach();
  delete this;
}

void Queue::process_packets() {
  for (std::uint64_t index = 0; await_packet(index); ++index) {
    Packet& packet = ring_[index & (memory_->amd.hsa_queue.size - 1)];
    if (!await_valid_header(packet)) return;
    process(packet, index);
    if (stopping_ || inactive_) return;
    std::atomic_ref<std::uint16_t>(packet.header)
        .store(HSA_PACKET_TYPE_INVALID, std::memory_order_relaxed);
    index_of(memory_->amd.read_dispatch_id).store(index + 1, std::memory_order_release);
  }
}

bool Queue::await_packet(std::uint64_t index) {
  std::unique_lock lock(mutex_);
  rung_.wait(lock, [&] { return stopping_ || doorbell_ >= static_cast<std::int64_t>(index); });
  return !stopping_ && !inactive_;
}

template <typename Done>
bool Queue::await(Done&& done) {
  bool met = false;
  Runtime::instance().changes.wait_until([&] { return stopping_ || inactive_ || (met = done()); },
                                         std::chrono::steady_clock::time_point::max());
  return met;
}

bool Queue::await_valid_header(Packet& packet) {
  // The doorbell of a later packet may come before another producer has written this one.
  return await([&] {
    return type_of(std::atomic_ref<std::uint16_t>(packet.header).load(std::memory_order_acquire)) !=
           HSA_PACKET_TYPE_INVALID;
  });
}

std::uint64_t Queue::host_time_of(std::uint64_t index) {
  const std::lock_guard lock(mutex_);
  while (marks_.size() > 1 && marks_.front().index < index) marks_.pop_front();
  return marks_.empty() ? 0 : marks_.front().time;
}

void Queue::process(Packet& packet, std::uint64_t index) {
  const std::uint64_t not_before = host_time_of(index);
  switch (type_of(packet.header)) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH:
      return run_kernel(packet, index, not_before);
    case HSA_PACKET_TYPE_BARRIER_AND:
      return wait_barrier(packet, not_before, true);
    case HSA_PACKET_TYPE_BARRIER_OR:
      return wait_barrier(packet, not_before, false);
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
      if (packet.barrier_value.header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE) {
        return wait_barrier_value(packet, not_before);
      }
  }
  fail({HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
        "queue " + std::to_string(memory_->amd.hsa_queue.id) + ": packet " + std::to_string(index) +
            " is of an unsupported type (header " + std::to_string(packet.header) + ")"});
}

void Queue::run_kernel(Packet& packet, std::uint64_t index, std::uint64_t not_before) {
  // What follows in the queue sees this packet complete, so its barrier bit needs no extra wait.
  PacketError error;
  auto dispatch = make_dispatch(*this, packet.dispatch, index, error);
  if (!dispatch) return fail(error);
  dispatch->cancelled = &stopping_;
  const DispatchResult result = agent_.executor->run(*dispatch);
  if (result.error) {
    if (result.error->kind == ExecutionError::Kind::cancelled && stopping_) return;
    return fail(packet_error(*dispatch, *result.error));
  }
  const auto span = clock_.advance(not_before, result.modelled_ns);
  complete(packet.dispatch.completion_signal, span.start, span.end);
}

void Queue::wait_barrier(const Packet& packet, std::uint64_t not_before, bool all) {
  const auto& dependencies = packet.barrier.dep_signal;
  std::uint64_t latest = not_before;
  const bool met = await([&] {
    bool any = false, none = true, every = true;
    for (const auto& handle : dependencies) {
      if (handle.handle == 0) continue;
      none = false;
      const bool done = value_of(signal_of(handle)).load(std::memory_order_acquire) == 0;
      any |= done;
      every &= done;
    }
    return none || (all ? every : any);
  });
  if (!met) return;
  for (const auto& handle : dependencies) {
    if (handle.handle == 0) continue;
    amd_signal_t* signal = signal_of(handle);
    if (all || value_of(signal).load(std::memory_order_relaxed) == 0) {
      latest = std::max(latest, end_time(signal));
    }
  }
  const auto span = clock_.advance(latest, 0);
  complete(packet.barrier.completion_signal, span.start, span.end);
}

void Queue::wait_barrier_value(const Packet& packet, std::uint64_t not_before) {
  const auto& barrier = packet.barrier_value;
  std::uint64_t latest = not_before;
  if (barrier.signal.handle) {
    amd_signal_t* signal = signal_of(barrier.signal);
    const bool met = await([&] {
      return satisfied(value_of(signal).load(std::memory_order_acquire) & barrier.mask,
                       static_cast<hsa_signal_condition_t>(barrier.cond), barrier.value);
    });
    if (!met) return;
    latest = std::max(latest, end_time(signal));
  }
  const auto span = clock_.advance(latest, 0);
  complete(barrier.completion_signal, span.start, span.end);
}

void Queue::fail(const PacketError& error) {
  report_error(error.message);
  inactive_ = true;
  amd_signal_t* inactive = signal_of(memory_->amd.queue_inactive_signal);
  value_of(inactive).store(error.status, std::memory_order_release);
  Runtime::instance().changes.notify();
  bool told = false;
  if (error.status == extended(HSA_STATUS_ERROR_MEMORY_FAULT)) {
    told = announce_memory_fault(agent_);
  }
  if (callback_) {
    callback_(error.status, handle(), callback_data_);
  } else if (!told) {
    std::abort();  // nobody could learn of it otherwise: the program would wait for ever
  }
}

}  // namespace geak::emulator

// Queues: a ring of AQL packets and the thread that processes them.
#pragma once

#include <hsa/amd_hsa_queue.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "emulator/hsa/agent.h"
#include "emulator/hsa/device_clock.h"

namespace geak::emulator {

using QueueErrorCallback = void (*)(hsa_status_t, hsa_queue_t*, void*);

// Why a queue stopped.
struct PacketError {
  hsa_status_t status = HSA_STATUS_ERROR;
  std::string message;
};

class Queue {
 public:
  // `packets`: a power of two. Throws std::bad_alloc.
  Queue(Agent& agent, std::uint32_t packets, hsa_queue_type32_t type, QueueErrorCallback callback,
        void* callback_data);
  // Ends its thread, a kernel that still runs included. From the error callback, which runs on that
  // thread, the queue goes away when the callback has returned.
  static void destroy(Queue& queue);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  static Queue& of(const amd_queue_t* queue);
  static Queue& of(const hsa_queue_t* queue) {
    return of(reinterpret_cast<const amd_queue_t*>(queue));
  }

  hsa_queue_t* handle() { return &memory_->amd.hsa_queue; }
  amd_queue_t& amd() { return memory_->amd; }
  Agent& agent() { return agent_; }

  // The doorbell: packets up to this index are there.
  void ring(std::uint64_t last_index);
  // Processes no further packets.
  void inactivate();

  std::vector<std::uint32_t> cu_mask;  // as set by the program; the emulator ignores it

 private:
  ~Queue();
  union Packet {
    std::uint16_t header;
    hsa_kernel_dispatch_packet_t dispatch;
    hsa_barrier_and_packet_t barrier;  // the "or" packet has the same form
    hsa_amd_barrier_value_packet_t barrier_value;
  };
  struct Memory {
    amd_queue_t amd;
    Queue* queue;
  };
  struct HostMark {
    std::uint64_t index, time;
  };

  void work();
  void process_packets();
  bool await_packet(std::uint64_t index);
  bool await_valid_header(Packet& packet);
  void process(Packet& packet, std::uint64_t index);
  void run_kernel(Packet& packet, std::uint64_t index, std::uint64_t not_before);
  void wait_barrier(const Packet& packet, std::uint64_t not_before, bool all);
  void wait_barrier_value(const Packet& packet, std::uint64_t not_before);
  // Waits for the condition; false when the queue ends before.
  template <typename Done>
  bool await(Done&& done);
  std::uint64_t host_time_of(std::uint64_t index);
  void fail(const PacketError& error);

  Agent& agent_;
  QueueErrorCallback callback_;
  void* callback_data_;
  Memory* memory_ = nullptr;
  std::size_t memory_bytes_ = 0;
  Packet* ring_ = nullptr;
  DeviceClock clock_;

  std::mutex mutex_;
  std::condition_variable rung_;
  std::int64_t doorbell_ = -1;
  std::deque<HostMark> marks_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> inactive_{false};
  bool destroyed_by_callback_ = false;
  std::thread thread_;
};

}  // namespace geak::emulator

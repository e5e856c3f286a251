// A queue of an HSA agent that runs one kernel at a time and watches how it ends.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace geak::replay {

struct DispatchShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // in work-items
  std::array<std::uint32_t, 3> block{1, 1, 1};  // in work-items
  std::uint32_t group_bytes = 0;                // static and dynamic LDS of a workgroup
  std::uint32_t private_bytes = 0;              // scratch of a work-item
  bool cooperative = false;
};

class Signal {
 public:
  Signal();
  ~Signal() { hsa_signal_destroy(signal_); }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  hsa_signal_t get() const { return signal_; }

 private:
  hsa_signal_t signal_{};
};

class Queue {
 public:
  Queue(hsa_agent_t agent, bool cooperative);
  ~Queue() { hsa_queue_destroy(queue_); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(queue_); }
  bool failed() const { return error_ != HSA_STATUS_SUCCESS; }

  // `ended` falls to 0 behind the kernel: in a packet of its own, since the kernel can reach its
  // own completion signal through its packet.
  void submit(std::uint64_t kernel_object, const DispatchShape& shape, void* kernarg,
              const Signal& completion, const Signal& ended);
  // Empty when `ended` fell to 0; else why it did not: a fault, or no end within `limit`. What
  // still runs ends with the queue.
  std::string wait(const Signal& ended, std::chrono::milliseconds limit) const;

 private:
  void push_dispatch(std::uint64_t kernel_object, const DispatchShape& shape, void* kernarg,
                     hsa_signal_t completion);
  void push_barrier(hsa_signal_t completion);
  // The next free packet, all of it zero but its header, which publish() writes last.
  template <typename Packet>
  Packet& next_packet(std::uint64_t& index);
  void publish(void* packet, std::uint32_t first_dword, std::uint64_t index);

  hsa_queue_t* queue_ = nullptr;
  std::atomic<hsa_status_t> error_{HSA_STATUS_SUCCESS};
};

}  // namespace geak::replay

#include "replay/hsa/queue.h"

#include <cstring>

#include "replay/hsa/status.h"

namespace geak::replay {
namespace {

constexpr std::uint32_t kQueuePackets = 64;

constexpr std::uint16_t header_of(hsa_packet_type_t type) {
  return static_cast<std::uint16_t>(
      type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

}  // namespace

Signal::Signal() { check_hsa(hsa_signal_create(1, 0, nullptr, &signal_), "hsa_signal_create"); }

Queue::Queue(hsa_agent_t agent, bool cooperative) {
  const auto type = cooperative ? HSA_QUEUE_TYPE_COOPERATIVE : HSA_QUEUE_TYPE_MULTI;
  check_hsa(hsa_queue_create(
                agent, kQueuePackets, type,
                [](hsa_status_t status, hsa_queue_t*, void* data) {
                  static_cast<Queue*>(data)->error_ = status;
                },
                this, UINT32_MAX, UINT32_MAX, &queue_),
            "hsa_queue_create");
  hsa_amd_profiling_set_profiler_enabled(queue_, 1);
}

void Queue::submit(std::uint64_t kernel_object, const DispatchShape& shape, void* kernarg,
                   const Signal& completion, const Signal& ended) {
  push_dispatch(kernel_object, shape, kernarg, completion.get());
  push_barrier(ended.get());
}

// In slices, so that a fault that the queue reports ends the wait.
std::string Queue::wait(const Signal& ended, std::chrono::milliseconds limit) const {
  std::uint64_t frequency = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency);
  const auto until = std::chrono::steady_clock::now() + limit;
  while (hsa_signal_wait_scacquire(ended.get(), HSA_SIGNAL_CONDITION_LT, 1, frequency / 50 + 1,
                                   HSA_WAIT_STATE_BLOCKED) >= 1) {
    if (std::chrono::steady_clock::now() > until)
      return "it did not end within " + std::to_string(limit.count()) + " ms";
    if (failed()) return text_of(error_);
  }
  return "";
}

void Queue::push_dispatch(std::uint64_t kernel_object, const DispatchShape& shape, void* kernarg,
                          hsa_signal_t completion) {
  std::uint64_t index = 0;
  auto& packet = next_packet<hsa_kernel_dispatch_packet_t>(index);
  packet.workgroup_size_x = static_cast<std::uint16_t>(shape.block[0]);
  packet.workgroup_size_y = static_cast<std::uint16_t>(shape.block[1]);
  packet.workgroup_size_z = static_cast<std::uint16_t>(shape.block[2]);
  packet.grid_size_x = shape.grid[0];
  packet.grid_size_y = shape.grid[1];
  packet.grid_size_z = shape.grid[2];
  packet.private_segment_size = shape.private_bytes;
  packet.group_segment_size = shape.group_bytes;
  packet.kernel_object = kernel_object;
  packet.kernarg_address = kernarg;
  packet.completion_signal = completion;
  constexpr std::uint32_t kSetup = 3u << (16 + HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
  publish(&packet, header_of(HSA_PACKET_TYPE_KERNEL_DISPATCH) | kSetup, index);
}

void Queue::push_barrier(hsa_signal_t completion) {
  std::uint64_t index = 0;
  auto& packet = next_packet<hsa_barrier_and_packet_t>(index);
  packet.completion_signal = completion;
  publish(&packet, header_of(HSA_PACKET_TYPE_BARRIER_AND), index);
}

template <typename Packet>
Packet& Queue::next_packet(std::uint64_t& index) {
  index = hsa_queue_add_write_index_screlease(queue_, 1);
  auto* packet = static_cast<Packet*>(queue_->base_address) + index % queue_->size;
  std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
  return *packet;
}

void Queue::publish(void* packet, std::uint32_t first_dword, std::uint64_t index) {
  __atomic_store_n(static_cast<std::uint32_t*>(packet), first_dword, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

}  // namespace geak::replay

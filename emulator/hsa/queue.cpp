#include "emulator/hsa/queue.h"

#include <sys/mman.h>

#include <chrono>
#include <new>

#include "emulator/hsa/runtime.h"
#include "emulator/memory/page_map.h"

namespace geak::emulator {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kAllocationGranule - 1) / kAllocationGranule * kAllocationGranule;
}

}  // namespace

Queue::Queue(Agent& agent, std::uint32_t packets, hsa_queue_type32_t type,
             QueueErrorCallback callback, void* callback_data)
    : agent_(agent), callback_(callback), callback_data_(callback_data) {
  const std::size_t header_bytes = whole_pages(sizeof(Memory));
  memory_bytes_ = header_bytes + whole_pages(packets * sizeof(Packet));
  void* memory =
      mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  PageMap::instance().add(reinterpret_cast<std::uint64_t>(memory), memory_bytes_);
  memory_ = new (memory) Memory{};
  memory_->queue = this;
  ring_ = reinterpret_cast<Packet*>(static_cast<std::byte*>(memory) + header_bytes);
  for (std::uint32_t i = 0; i < packets; ++i) ring_[i].header = HSA_PACKET_TYPE_INVALID;

  auto& runtime = Runtime::instance();
  amd_queue_t& amd = memory_->amd;
  static std::atomic<std::uint64_t> next_id{0};
  amd.hsa_queue.type = type;
  amd.hsa_queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
  amd.hsa_queue.base_address = ring_;
  amd.hsa_queue.size = packets;
  amd.hsa_queue.id = next_id++;
  amd_signal_t* doorbell = runtime.signals.create(-1);
  doorbell->kind = AMD_SIGNAL_KIND_DOORBELL;
  doorbell->queue_ptr = &amd;
  amd.hsa_queue.doorbell_signal = handle_of(doorbell);
  amd.queue_inactive_signal = handle_of(runtime.signals.create(0));
  amd.group_segment_aperture_base_hi = kSharedApertureHigh;
  amd.private_segment_aperture_base_hi = kPrivateApertureHigh;
  amd.max_cu_id = agent.device->compute_units - 1;
  amd.max_wave_id = agent.device->max_waves_per_simd * agent.device->simds_per_cu - 1;
  amd.read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
  AMD_HSA_BITS_SET(amd.queue_properties, AMD_QUEUE_PROPERTIES_IS_PTR64, 1);
  AMD_HSA_BITS_SET(amd.queue_properties, AMD_QUEUE_PROPERTIES_ENABLE_PROFILING, 1);
  thread_ = std::thread([this] { work(); });
}

void Queue::destroy(Queue& queue) {
  {
    const std::lock_guard lock(queue.mutex_);
    queue.stopping_ = true;
  }
  queue.rung_.notify_all();
  Runtime::instance().changes.notify();
  if (queue.thread_.get_id() == std::this_thread::get_id()) {
    queue.destroyed_by_callback_ = true;
    return;
  }
  queue.thread_.join();
  delete &queue;
}

Queue::~Queue() {
  auto& runtime = Runtime::instance();
  runtime.signals.destroy(signal_of(memory_->amd.hsa_queue.doorbell_signal));
  runtime.signals.destroy(signal_of(memory_->amd.queue_inactive_signal));
  PageMap::instance().remove(reinterpret_cast<std::uint64_t>(memory_), memory_bytes_);
  munmap(memory_, memory_bytes_);
}

Queue& Queue::of(const amd_queue_t* queue) {
  // The amd_queue_t is the first member of Memory.
  return *reinterpret_cast<const Memory*>(queue)->queue;
}

void Queue::ring(std::uint64_t last_index) {
  const auto index = static_cast<std::int64_t>(last_index);
  const std::uint64_t seen = Runtime::instance().host_clock.now();
  {
    const std::lock_guard lock(mutex_);
    // Several producers may ring out of order.
    if (index <= doorbell_) return;
    doorbell_ = index;
    if (marks_.empty() || marks_.back().time != seen) {
      marks_.push_back({last_index, seen});
    } else {
      marks_.back().index = last_index;
    }
  }
  rung_.notify_one();
}

void Queue::inactivate() {
  inactive_ = true;
  Runtime::instance().changes.notify();
}

}  // namespace geak::emulator

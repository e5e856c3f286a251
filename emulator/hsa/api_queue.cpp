// Queues: creation and indices.
#include <memory>

#include "emulator/hsa/guard.h"
#include "emulator/hsa/limits.h"
#include "emulator/hsa/queue.h"

using namespace geak::emulator;

namespace {

std::atomic_ref<std::uint64_t> write_index(const hsa_queue_t* queue) {
  return std::atomic_ref<std::uint64_t>(
      const_cast<std::uint64_t&>(Queue::of(queue).amd().write_dispatch_id));
}
std::atomic_ref<std::uint64_t> read_index(const hsa_queue_t* queue) {
  return std::atomic_ref<std::uint64_t>(
      const_cast<std::uint64_t&>(Queue::of(queue).amd().read_dispatch_id));
}

std::uint64_t exchange_if(const hsa_queue_t* queue, std::uint64_t expected, std::uint64_t value) {
  write_index(queue).compare_exchange_strong(expected, value);
  return expected;
}

}  // namespace

// Every order does at least what the strongest of them asks for.
#define GEAK_QUEUE_LOADS(order)                                           \
  uint64_t hsa_queue_load_read_index_##order(const hsa_queue_t* queue) {  \
    return read_index(queue).load();                                      \
  }                                                                       \
  uint64_t hsa_queue_load_write_index_##order(const hsa_queue_t* queue) { \
    return write_index(queue).load();                                     \
  }
#define GEAK_QUEUE_STORES(order)                                                       \
  void hsa_queue_store_write_index_##order(const hsa_queue_t* queue, uint64_t value) { \
    write_index(queue).store(value);                                                   \
  }                                                                                    \
  void hsa_queue_store_read_index_##order(const hsa_queue_t* queue, uint64_t value) {  \
    read_index(queue).store(value);                                                    \
  }
#define GEAK_QUEUE_CHANGES(order)                                                         \
  uint64_t hsa_queue_add_write_index_##order(const hsa_queue_t* queue, uint64_t value) {  \
    return write_index(queue).fetch_add(value);                                           \
  }                                                                                       \
  uint64_t hsa_queue_cas_write_index_##order(const hsa_queue_t* queue, uint64_t expected, \
                                             uint64_t value) {                            \
    return exchange_if(queue, expected, value);                                           \
  }

extern "C" {

hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                              QueueErrorCallback callback, void* data, uint32_t, uint32_t,
                              hsa_queue_t** queue) {
  return guarded([&] {
    Agent& found = Runtime::instance().checked(agent);
    require(found.gpu, HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
    require(queue != nullptr && size != 0 && (size & (size - 1)) == 0 && size <= kMaxQueuePackets,
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *queue = (new Queue(found, size, type, callback, data))->handle();
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_soft_queue_create(hsa_region_t, uint32_t, hsa_queue_type32_t, uint32_t,
                                   hsa_signal_t, hsa_queue_t**) {
  return HSA_STATUS_ERROR;  // queues that the host itself serves aren't supported
}

hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
  return guarded([&] {
    require(queue != nullptr, HSA_STATUS_ERROR_INVALID_QUEUE);
    Queue::destroy(Queue::of(queue));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t* queue) {
  return guarded([&] {
    require(queue != nullptr, HSA_STATUS_ERROR_INVALID_QUEUE);
    Queue::of(queue).inactivate();
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority) {
  return guarded([&] {
    require(queue != nullptr, HSA_STATUS_ERROR_INVALID_QUEUE);
    require(priority <= HSA_AMD_QUEUE_PRIORITY_HIGH, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;  // every queue has a thread of its own
  });
}

hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                       const uint32_t* cu_mask) {
  return guarded([&] {
    require(queue != nullptr, HSA_STATUS_ERROR_INVALID_QUEUE);
    require(num_cu_mask_count % 32 == 0 && (cu_mask || num_cu_mask_count == 0),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    Queue::of(queue).cu_mask.assign(cu_mask, cu_mask + num_cu_mask_count / 32);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                       uint32_t* cu_mask) {
  return guarded([&] {
    require(queue != nullptr, HSA_STATUS_ERROR_INVALID_QUEUE);
    require(num_cu_mask_count % 32 == 0 && cu_mask, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const auto& mask = Queue::of(queue).cu_mask;
    for (uint32_t i = 0; i < num_cu_mask_count / 32; ++i) {
      cu_mask[i] = i < mask.size() ? mask[i] : mask.empty() ? UINT32_MAX : 0;
    }
    return HSA_STATUS_SUCCESS;
  });
}

GEAK_QUEUE_LOADS(relaxed)
GEAK_QUEUE_LOADS(acquire)
GEAK_QUEUE_LOADS(scacquire)
GEAK_QUEUE_STORES(relaxed)
GEAK_QUEUE_STORES(release)
GEAK_QUEUE_STORES(screlease)
GEAK_QUEUE_CHANGES(relaxed)
GEAK_QUEUE_CHANGES(acquire)
GEAK_QUEUE_CHANGES(release)
GEAK_QUEUE_CHANGES(acq_rel)
GEAK_QUEUE_CHANGES(scacquire)
GEAK_QUEUE_CHANGES(screlease)
GEAK_QUEUE_CHANGES(scacq_screl)
}

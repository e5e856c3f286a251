#include "emulator/hsa/system_events.h"

#include <mutex>

#include "emulator/hsa/guard.h"

namespace geak::emulator {
namespace {

std::mutex handler_mutex;
hsa_amd_system_event_callback_t handler = nullptr;
void* handler_data = nullptr;

}  // namespace

bool announce_memory_fault(const Agent& agent) {
  hsa_amd_event_t event{};
  event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
  event.memory_fault.agent = agent.handle();
  event.memory_fault.fault_reason_mask = HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT;
  std::unique_lock lock(handler_mutex);
  const auto call = handler;
  void* data = handler_data;
  lock.unlock();
  return call && call(&event, data) == HSA_STATUS_SUCCESS;
}

}  // namespace geak::emulator

using namespace geak::emulator;

extern "C" hsa_status_t hsa_amd_register_system_event_handler(
    hsa_amd_system_event_callback_t callback, void* data) {
  return guarded([&] {
    const std::lock_guard lock(handler_mutex);
    require(!(callback && handler), HSA_STATUS_ERROR);  // one at a time, as ROCr has it
    handler = callback;
    handler_data = data;
    return HSA_STATUS_SUCCESS;
  });
}

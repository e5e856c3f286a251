// Signals: creation, waiting, handlers.
#include <hsa/amd_hsa_queue.h>

#include <memory>
#include <vector>

#include "emulator/hsa/guard.h"
#include "emulator/hsa/signal_wait.h"

using namespace geak::emulator;

namespace {

amd_signal_t* checked_signal(hsa_signal_t handle) {
  require(handle.handle != 0, HSA_STATUS_ERROR_INVALID_SIGNAL);
  amd_signal_t* signal = signal_of(handle);
  require(signal->kind != AMD_SIGNAL_KIND_INVALID, HSA_STATUS_ERROR_INVALID_SIGNAL);
  return signal;
}

struct SignalGroup {
  std::vector<hsa_signal_t> signals;
};

hsa_status_t wait_group(hsa_signal_group_t handle, const hsa_signal_condition_t* conditions,
                        const hsa_signal_value_t* values, hsa_signal_t* signal,
                        hsa_signal_value_t* value) {
  return guarded([&] {
    auto* group = reinterpret_cast<SignalGroup*>(handle.handle);
    require(group != nullptr, HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
    require(conditions && values && signal && value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const auto index = wait_for_any(static_cast<std::uint32_t>(group->signals.size()),
                                    group->signals.data(), conditions, values, UINT64_MAX, value);
    *signal = group->signals[index];
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace

extern "C" {

hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                               const hsa_agent_t* consumers, hsa_signal_t* signal) {
  return guarded([&] {
    require(signal && (num_consumers == 0 || consumers), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return put(signal, handle_of(Runtime::instance().signals.create(initial_value)));
  });
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                   const hsa_agent_t* consumers, uint64_t attributes,
                                   hsa_signal_t* signal) {
  // HSA_AMD_SIGNAL_AMD_GPU_ONLY is a hint; sharing between processes isn't supported.
  if (attributes & HSA_AMD_SIGNAL_IPC) return HSA_STATUS_ERROR;
  return hsa_signal_create(initial_value, num_consumers, consumers, signal);
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  return guarded([&] {
    Runtime::instance().signals.destroy(checked_signal(signal));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal,
                                          volatile hsa_signal_value_t** value_ptr) {
  return guarded([&] {
    require(value_ptr != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *value_ptr = &checked_signal(signal)->value;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare_value,
                                             uint64_t timeout_hint, hsa_wait_state_t state) {
  return wait_for(signal, condition, compare_value, timeout_hint, state);
}
hsa_signal_value_t hsa_signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                           hsa_wait_state_t state) {
  return wait_for(signal, condition, compare_value, timeout_hint, state);
}
hsa_signal_value_t hsa_signal_wait_acquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                           hsa_wait_state_t state) {
  return wait_for(signal, condition, compare_value, timeout_hint, state);
}

uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t* signals,
                                 hsa_signal_condition_t* conds, hsa_signal_value_t* values,
                                 uint64_t timeout_hint, hsa_wait_state_t,
                                 hsa_signal_value_t* satisfying_value) {
  const auto index =
      wait_for_any(signal_count, signals, conds, values, timeout_hint, satisfying_value);
  return index == signal_count ? UINT32_MAX : index;
}

hsa_status_t hsa_signal_group_create(uint32_t num_signals, const hsa_signal_t* signals, uint32_t,
                                     const hsa_agent_t*, hsa_signal_group_t* signal_group) {
  return guarded([&] {
    require(num_signals > 0 && signals && signal_group, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    auto group = std::make_unique<SignalGroup>();
    group->signals.assign(signals, signals + num_signals);
    signal_group->handle = reinterpret_cast<std::uint64_t>(group.release());
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t signal_group) {
  return guarded([&] {
    require(signal_group.handle != 0, HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
    delete reinterpret_cast<SignalGroup*>(signal_group.handle);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t signal_group,
                                                 const hsa_signal_condition_t* conditions,
                                                 const hsa_signal_value_t* compare_values,
                                                 hsa_wait_state_t, hsa_signal_t* signal,
                                                 hsa_signal_value_t* value) {
  return wait_group(signal_group, conditions, compare_values, signal, value);
}

hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t signal_group,
                                               const hsa_signal_condition_t* conditions,
                                               const hsa_signal_value_t* compare_values,
                                               hsa_wait_state_t, hsa_signal_t* signal,
                                               hsa_signal_value_t* value) {
  return wait_group(signal_group, conditions, compare_values, signal, value);
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t cond,
                                          hsa_signal_value_t value, hsa_amd_signal_handler handler,
                                          void* arg) {
  return guarded([&] {
    require(handler != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    checked_signal(signal);
    Runtime::instance().async_handlers.add({signal, cond, value, handler, arg});
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_async_function(void (*callback)(void*), void* arg) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct Call {
      void (*callback)(void*);
      void* argument;
      amd_signal_t* signal;
    };
    auto& runtime = Runtime::instance();
    auto* call = new Call{callback, arg, runtime.signals.create(0)};
    runtime.async_handlers.add({handle_of(call->signal), HSA_SIGNAL_CONDITION_EQ, 0,
                                [](hsa_signal_value_t, void* data) {
                                  const std::unique_ptr<Call> owned(static_cast<Call*>(data));
                                  owned->callback(owned->argument);
                                  Runtime::instance().signals.destroy(owned->signal);
                                  return false;
                                },
                                call});
    return HSA_STATUS_SUCCESS;
  });
}
}

// Time stamps of dispatches and copies: the modelled device's.
#include "emulator/hsa/guard.h"
#include "emulator/hsa/queue.h"

using namespace geak::emulator;

namespace {

template <typename Time>
hsa_status_t put_times(hsa_signal_t handle, Time* time) {
  require(handle.handle != 0, HSA_STATUS_ERROR_INVALID_SIGNAL);
  require(time != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  amd_signal_t* signal = signal_of(handle);
  time->end = end_time(signal);
  time->start = signal->start_ts;
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

// Time stamps are always taken: enabling them changes nothing.
hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int) {
  return guarded([&] {
    require(queue != nullptr, HSA_STATUS_ERROR_INVALID_QUEUE);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool) {
  return guarded([] { return HSA_STATUS_SUCCESS; });
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
  return guarded([&] {
    Runtime::instance().checked(agent);
    return put_times(signal, time);
  });
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                                   hsa_amd_profiling_async_copy_time_t* time) {
  return guarded([&] { return put_times(signal, time); });
}

hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick,
                                                             uint64_t* system_tick) {
  return guarded([&] {
    Runtime::instance().checked(agent);
    return put<std::uint64_t>(system_tick, agent_tick);  // one domain
  });
}
}

// Shared virtual memory: attributes and prefetching.
#include "emulator/hsa/copy_engine.h"
#include "emulator/hsa/guard.h"

using namespace geak::emulator;

extern "C" {

hsa_status_t hsa_amd_svm_attributes_set(void* ptr, size_t size,
                                        hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count) {
  return guarded([&] {
    require(ptr && size && (attribute_list || attribute_count == 0),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < attribute_count; ++i) {
      Runtime::instance().svm.set(reinterpret_cast<std::uint64_t>(ptr), size, attribute_list[i]);
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_svm_attributes_get(void* ptr, size_t size,
                                        hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count) {
  return guarded([&] {
    require(ptr && size && (attribute_list || attribute_count == 0),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < attribute_count; ++i) {
      Runtime::instance().svm.get(reinterpret_cast<std::uint64_t>(ptr), attribute_list[i]);
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_svm_prefetch_async(void* ptr, size_t size, hsa_agent_t agent,
                                        uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                        hsa_signal_t completion_signal) {
  return guarded([&] {
    require(ptr && size && (dep_signals || num_dep_signals == 0),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    auto& runtime = Runtime::instance();
    runtime.checked(agent);
    CopyJob job;
    job.dependencies.assign(dep_signals, dep_signals + num_dep_signals);
    job.completion = completion_signal;
    job.not_before = runtime.host_clock.now();
    job.work = [=] {
      Runtime::instance().svm.prefetched(reinterpret_cast<std::uint64_t>(ptr), size, agent);
    };
    CopyEngine::instance().submit(std::move(job));
    return HSA_STATUS_SUCCESS;
  });
}
}

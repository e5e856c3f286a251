// hsa_iterate_agents, hsa_agent_get_info and caches.
#include <unistd.h>

#include <cstring>
#include <string>

#include "emulator/hsa/extension_tables.h"
#include "emulator/hsa/guard.h"
#include "emulator/hsa/limits.h"

using namespace geak::emulator;

namespace {

hsa_status_t put_common(const Agent& agent, int attribute, void* value) {
  switch (attribute) {
    case HSA_AGENT_INFO_NAME:
      return put_text(value, agent.name.c_str(), 64);
    case HSA_AGENT_INFO_VENDOR_NAME:
      return put_text(value, agent.gpu ? "AMD" : "CPU", 64);
    case HSA_AGENT_INFO_MACHINE_MODEL:
      return put<hsa_machine_model_t>(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return put<hsa_default_float_rounding_mode_t>(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    case HSA_AGENT_INFO_NODE:
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
      return put<std::uint32_t>(value, agent.node);
    case HSA_AGENT_INFO_DEVICE:
      return put<hsa_device_type_t>(value, agent.gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
    case HSA_AGENT_INFO_EXTENSIONS:
      put_extension_bits(value);
      if (agent.gpu) *static_cast<std::uint8_t*>(value) |= 1u << HSA_EXTENSION_IMAGES;
      return HSA_STATUS_SUCCESS;
    case HSA_AGENT_INFO_VERSION_MAJOR:
    case HSA_AGENT_INFO_VERSION_MINOR:
      return put<std::uint16_t>(value, 1);
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
      return put<std::uint32_t>(value, agent.gpu ? 128 : 64);
    case HSA_AMD_AGENT_INFO_DOMAIN:
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
      return put<std::uint32_t>(value, 0);
    case HSA_AGENT_INFO_CACHE_SIZE: {
      std::uint32_t sizes[4] = {};
      for (const auto& cache : agent.caches) sizes[cache.level - 1] = cache.bytes;
      require(value != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
      std::memcpy(value, sizes, sizeof sizes);
      return HSA_STATUS_SUCCESS;
    }
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t put_cpu(const Agent& agent, int attribute, void* value) {
  switch (attribute) {
    case HSA_AGENT_INFO_FEATURE:
      return put<std::uint32_t>(value, 0);
    case HSA_AGENT_INFO_PROFILE:
      return put<hsa_profile_t>(value, HSA_PROFILE_FULL);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return put_text(value, agent.name.c_str(), 64);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
      return put<std::uint32_t>(value, static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
    case HSA_AMD_AGENT_INFO_UUID:
      return put_text(value, "CPU-XX", 21);
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
      return put<bool>(value, false);
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: {
      std::memset(value, 0, 3 * sizeof(std::uint16_t));
      return HSA_STATUS_SUCCESS;
    }
    case HSA_AGENT_INFO_GRID_MAX_DIM:
      return put<hsa_dim3_t>(value, {0, 0, 0});
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
    case HSA_AGENT_INFO_QUEUES_MAX:
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    case HSA_AMD_AGENT_INFO_CHIP_ID:
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
    case HSA_AMD_AGENT_INFO_BDFID:
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
      return put<std::uint32_t>(value, 0);
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
      return put<bool>(value, false);
  }
  return put_common(agent, attribute, value);
}

// The sizes that a gfx90a reports. HIP refuses pitched and 3D allocations, which need no image, to
// a device without images; making one still fails.
hsa_status_t put_image_limit(int attribute, void* value) {
  switch (attribute) {
    case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS:
      return put<std::uint32_t>(value, 16384);
    case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS:
      return put<std::uint32_t>(value, UINT32_MAX);
    case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS: {
      const std::uint32_t most[2] = {16384, 16384};
      std::memcpy(value, most, sizeof most);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS: {
      const std::uint32_t most[3] = {16384, 16384, 8192};
      std::memcpy(value, most, sizeof most);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
      return put<std::uint32_t>(value, 8192);
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES:
      return put<std::uint32_t>(value, 128);
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES:
      return put<std::uint32_t>(value, 64);
    case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS:
      return put<std::uint32_t>(value, 16);
    case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT:
      return put<std::uint32_t>(value, 256);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t put_gpu_extension(const Agent& agent, int attribute, void* value) {
  const DeviceDescription& device = *agent.device;
  switch (attribute) {
    case HSA_AMD_AGENT_INFO_CHIP_ID:
      return put<std::uint32_t>(value, device.chip_id);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
      return put<std::uint32_t>(value, device.compute_units);
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
      return put<std::uint32_t>(value, device.engine_mhz);
    case HSA_AMD_AGENT_INFO_BDFID:
      return put<std::uint32_t>(value, (agent.index + 1) << 8);  // a bus for each GPU
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
      return put<std::uint32_t>(value, device.memory_bus_bits);
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
      return put<std::uint32_t>(value, device.memory_mhz);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return put_text(value, std::string(device.marketing_name).c_str(), 64);
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
      return put<std::uint32_t>(value, device.max_waves_per_simd * device.simds_per_cu);
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
      return put<std::uint32_t>(value, device.simds_per_cu);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
      return put<std::uint32_t>(value, device.shader_engines);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
      return put<std::uint32_t>(value, 1);
    case HSA_AMD_AGENT_INFO_HDP_FLUSH:
      return put<hsa_amd_hdp_flush_t>(value, {nullptr, nullptr});
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
      return put<bool>(value, true);
    case HSA_AMD_AGENT_INFO_UUID: {
      char text[21];
      std::snprintf(text, sizeof text, "GPU-6765616b%08x", agent.index);
      return put_text(value, text, 21);
    }
  }
  if (attribute >= HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS &&
      attribute <= HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT) {
    return put_image_limit(attribute, value);
  }
  return put_common(agent, attribute, value);
}

hsa_status_t put_gpu(const Agent& agent, int attribute, void* value) {
  switch (attribute) {
    case HSA_AGENT_INFO_FEATURE:
      return put<hsa_agent_feature_t>(value, HSA_AGENT_FEATURE_KERNEL_DISPATCH);
    case HSA_AGENT_INFO_PROFILE:
      return put<hsa_profile_t>(value, HSA_PROFILE_BASE);
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
      return put<bool>(value, true);
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
      return put<std::uint32_t>(value, kWavefrontSize);
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: {
      const std::uint16_t most[3] = {kMaxWorkgroup, kMaxWorkgroup, kMaxWorkgroup};
      require(value != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
      std::memcpy(value, most, sizeof most);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
      return put<std::uint32_t>(value, kMaxWorkgroup);
    case HSA_AGENT_INFO_GRID_MAX_DIM:
      return put<hsa_dim3_t>(value, {kMaxGrid, kMaxGrid, kMaxGrid});
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
      return put<std::uint32_t>(value, kMaxGrid);
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
      return put<std::uint32_t>(value, 32);
    case HSA_AGENT_INFO_QUEUES_MAX:
      return put<std::uint32_t>(value, kMaxQueues);
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
      return put<std::uint32_t>(value, kMinQueuePackets);
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
      return put<std::uint32_t>(value, kMaxQueuePackets);
    case HSA_AGENT_INFO_QUEUE_TYPE:
      return put<hsa_queue_type_t>(value, HSA_QUEUE_TYPE_MULTI);
    case HSA_AGENT_INFO_ISA:
      return put<hsa_isa_t>(value, {reinterpret_cast<std::uint64_t>(agent.isa.get())});
  }
  return put_gpu_extension(agent, attribute, value);
}

bool agent_has(const Agent& agent, std::uint16_t extension, std::uint16_t major) {
  return has_extension(extension, major) ||
         (agent.gpu && extension == HSA_EXTENSION_IMAGES && major == 1);
}

}  // namespace

extern "C" {

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void*), void* data) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return iterate(Runtime::instance().agents(),
                   [&](const auto& agent) { return callback(agent->handle(), data); });
  });
}

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  return guarded([&] {
    const Agent& found = Runtime::instance().checked(agent);
    require(value != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return found.gpu ? put_gpu(found, attribute, value) : put_cpu(found, attribute, value);
  });
}

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t agent,
                                      hsa_status_t (*callback)(hsa_cache_t, void*), void* data) {
  return guarded([&] {
    return iterate(Runtime::instance().checked(agent).caches, [&](Cache& cache) {
      return callback({reinterpret_cast<std::uint64_t>(&cache)}, data);
    });
  });
}

hsa_status_t hsa_cache_get_info(hsa_cache_t handle, hsa_cache_info_t attribute, void* value) {
  return guarded([&] {
    for (const auto& agent : Runtime::instance().agents()) {
      for (const auto& cache : agent->caches) {
        if (reinterpret_cast<std::uint64_t>(&cache) != handle.handle) continue;
        switch (attribute) {
          case HSA_CACHE_INFO_NAME_LENGTH:
            return put<std::uint32_t>(value, static_cast<std::uint32_t>(cache.name.size()));
          case HSA_CACHE_INFO_NAME:
            return put_text(value, cache.name.c_str(), cache.name.size() + 1);
          case HSA_CACHE_INFO_LEVEL:
            return put<std::uint8_t>(value, cache.level);
          case HSA_CACHE_INFO_SIZE:
            return put<std::uint32_t>(value, cache.bytes);
        }
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      }
    }
    return HSA_STATUS_ERROR_INVALID_CACHE;
  });
}

hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t agent,
                                           uint16_t version_major, uint16_t, bool* result) {
  return guarded([&] {
    return put(result, agent_has(Runtime::instance().checked(agent), extension, version_major));
  });
}

hsa_status_t hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t agent,
                                                 uint16_t version_major, uint16_t* version_minor,
                                                 bool* result) {
  return guarded([&] {
    put(result, agent_has(Runtime::instance().checked(agent), extension, version_major));
    return put<std::uint16_t>(version_minor, extension_minor(extension));
  });
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t, uint16_t* mask) {
  return guarded([&] {
    Runtime::instance().checked(agent);
    return put<std::uint16_t>(mask, 0);
  });
}
}

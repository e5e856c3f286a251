// Memory pools, and the regions of the core API, which are the same thing here.
#include "emulator/hsa/guard.h"

using namespace geak::emulator;

namespace {

Pool& checked_pool(std::uint64_t handle, int otherwise) {
  Pool* pool = Runtime::instance().find_pool(handle);
  require(pool != nullptr, static_cast<hsa_status_t>(otherwise));
  return *pool;
}

hsa_status_t put_pool(const Pool& pool, int attribute, void* value) {
  switch (attribute) {
    case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
      return put<hsa_amd_segment_t>(value, pool.segment);
    case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
      return put<std::uint32_t>(value, pool.flags);
    case HSA_AMD_MEMORY_POOL_INFO_SIZE:
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
      return put<std::size_t>(value, pool.bytes);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
      return put<bool>(value, pool.allocatable());
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
      return put<std::size_t>(value, pool.allocatable() ? kAllocationGranule : 0);
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
      return put<bool>(value, !pool.owner->gpu);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t put_region(const Pool& pool, int attribute, void* value) {
  switch (attribute) {
    case HSA_REGION_INFO_SEGMENT:
      return put<hsa_region_segment_t>(value, pool.segment == HSA_AMD_SEGMENT_GROUP
                                                  ? HSA_REGION_SEGMENT_GROUP
                                                  : HSA_REGION_SEGMENT_GLOBAL);
    case HSA_REGION_INFO_GLOBAL_FLAGS:
      return put<std::uint32_t>(value, pool.flags);  // the same bits
    case HSA_REGION_INFO_SIZE:
    case HSA_REGION_INFO_ALLOC_MAX_SIZE:
      return put<std::size_t>(value, pool.bytes);
    case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE:
      return put<std::uint32_t>(value, 0);
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED:
      return put<bool>(value, pool.allocatable());
    case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT:
      return put<std::size_t>(value, pool.allocatable() ? kAllocationGranule : 0);
    case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE:
      return put<bool>(value, pool.allocatable());
    case HSA_AMD_REGION_INFO_BUS_WIDTH:
      return put<std::uint32_t>(value, pool.owner->gpu ? pool.owner->device->memory_bus_bits : 64);
    case HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY:
      return put<std::uint32_t>(value, pool.owner->gpu ? pool.owner->device->memory_mhz : 0);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

// How an agent reaches a pool of another: hops and the kind of link.
hsa_status_t put_link(const Agent& agent, const Pool& pool, int attribute, void* value) {
  const bool own = pool.owner == &agent;
  switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
      // LDS is reached by kernels alone.
      return put<hsa_amd_memory_pool_access_t>(
          value, pool.segment == HSA_AMD_SEGMENT_GROUP ? HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
                 : own ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                       : HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
      return put<std::uint32_t>(value, own ? 0 : 1);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO: {
      if (own) return HSA_STATUS_SUCCESS;  // an array of no hops
      hsa_amd_memory_pool_link_info_t link{};
      link.atomic_support_32bit = link.atomic_support_64bit = link.coherent_support = true;
      const bool peers = agent.gpu && pool.owner->gpu;
      link.link_type = peers ? HSA_AMD_LINK_INFO_TYPE_XGMI : HSA_AMD_LINK_INFO_TYPE_PCIE;
      link.numa_distance = peers ? 15 : 20;
      return put(value, link);
    }
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace

extern "C" {

hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t, void*), void* data) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return iterate(Runtime::instance().checked(agent).pools, [&](Pool& pool) {
      return callback({reinterpret_cast<std::uint64_t>(&pool)}, data);
    });
  });
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t pool,
                                          hsa_amd_memory_pool_info_t attribute, void* value) {
  return guarded([&] {
    return put_pool(checked_pool(pool.handle, HSA_STATUS_ERROR_INVALID_MEMORY_POOL), attribute,
                    value);
  });
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t pool,
                                                hsa_amd_agent_memory_pool_info_t attribute,
                                                void* value) {
  return guarded([&] {
    return put_link(Runtime::instance().checked(agent),
                    checked_pool(pool.handle, HSA_STATUS_ERROR_INVALID_MEMORY_POOL), attribute,
                    value);
  });
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t,
                                          void** ptr) {
  return guarded([&] {
    Pool& found = checked_pool(pool.handle, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    require(ptr != nullptr && size != 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    require(found.allocatable(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    *ptr = Runtime::instance().allocations.allocate(found, size);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_pool_free(void* ptr) {
  return guarded([&] {
    if (!ptr) return HSA_STATUS_SUCCESS;
    require(Runtime::instance().allocations.free(ptr), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t, hsa_amd_memory_pool_t,
                                             bool* result) {
  return guarded([&] { return put(result, false); });
}

hsa_status_t hsa_amd_memory_migrate(const void*, hsa_amd_memory_pool_t, uint32_t) {
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent,
                                       hsa_status_t (*callback)(hsa_region_t, void*), void* data) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return iterate(Runtime::instance().checked(agent).pools, [&](Pool& pool) {
      return callback({reinterpret_cast<std::uint64_t>(&pool)}, data);
    });
  });
}

hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void* value) {
  return guarded([&] {
    return put_region(checked_pool(region.handle, HSA_STATUS_ERROR_INVALID_REGION), attribute,
                      value);
  });
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr) {
  return guarded([&] {
    checked_pool(region.handle, HSA_STATUS_ERROR_INVALID_REGION);
    return hsa_amd_memory_pool_allocate({region.handle}, size, 0, ptr);
  });
}

hsa_status_t hsa_memory_free(void* ptr) { return hsa_amd_memory_pool_free(ptr); }
}

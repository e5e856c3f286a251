// Locked host memory, access, what is known of a pointer, host-side copies and fills.
#include <algorithm>
#include <cstring>

#include "emulator/hsa/copy_engine.h"
#include "emulator/hsa/guard.h"
#include "emulator/memory/page_map.h"

using namespace geak::emulator;

namespace {

std::vector<Agent*> checked_agents(const hsa_agent_t* agents, std::size_t count) {
  require(count == 0 || agents, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  std::vector<Agent*> found;
  for (std::size_t i = 0; i < count; ++i) {
    found.push_back(&Runtime::instance().checked(agents[i]));
  }
  return found;
}

std::vector<Agent*> all_gpus() {
  std::vector<Agent*> gpus;
  for (const auto& agent : Runtime::instance().agents()) {
    if (agent->gpu) gpus.push_back(agent.get());
  }
  return gpus;
}

hsa_status_t lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent, Pool* pool,
                  void** agent_ptr) {
  require(host_ptr && size && agent_ptr && num_agent >= 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  auto access =
      num_agent ? checked_agents(agents, static_cast<std::size_t>(num_agent)) : all_gpus();
  Runtime::instance().allocations.lock(host_ptr, size, pool, std::move(access));
  *agent_ptr = reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(host_ptr) | kLockedAlias);
  return HSA_STATUS_SUCCESS;
}

void fill_info(const Allocation& allocation, hsa_amd_pointer_info_t& info) {
  info.type = allocation.type;
  const bool locked = allocation.type == HSA_EXT_POINTER_TYPE_LOCKED;
  info.agentBaseAddress = reinterpret_cast<void*>(allocation.base | (locked ? kLockedAlias : 0));
  info.hostBaseAddress = reinterpret_cast<void*>(allocation.base);
  info.sizeInBytes = allocation.bytes;
  info.userData = allocation.user_data;
  info.agentOwner =
      allocation.pool ? allocation.pool->owner->handle() : Runtime::instance().cpu().handle();
  info.global_flags =
      allocation.pool ? allocation.pool->flags : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
}

hsa_status_t put_access(const Allocation& allocation, void* (*alloc)(size_t), uint32_t* count,
                        hsa_agent_t** accessible) {
  if (!count || !accessible || !alloc) return HSA_STATUS_SUCCESS;
  *count = static_cast<uint32_t>(allocation.access.size());
  *accessible = static_cast<hsa_agent_t*>(alloc(*count * sizeof(hsa_agent_t)));
  require(*accessible != nullptr, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  for (uint32_t i = 0; i < *count; ++i) (*accessible)[i] = allocation.access[i]->handle();
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents,
                                         const uint32_t*, const void* ptr) {
  return guarded([&] {
    const auto access = checked_agents(agents, num_agents);
    const bool known =
        Runtime::instance().allocations.change(host_pointer(ptr), [&](Allocation& allocation) {
          allocation.access = access;
          // The owner of the memory always keeps its access.
          Agent* owner = allocation.pool ? allocation.pool->owner : nullptr;
          if (owner && std::find(access.begin(), access.end(), owner) == access.end()) {
            allocation.access.push_back(owner);
          }
        });
    return known ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
  });
}

hsa_status_t hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                 void** agent_ptr) {
  return guarded([&] {
    return lock(host_ptr, size, agents, num_agent, &Runtime::instance().cpu().pools.front(),
                agent_ptr);
  });
}

hsa_status_t hsa_amd_memory_lock_to_pool(void* host_ptr, size_t size, hsa_agent_t* agents,
                                         int num_agent, hsa_amd_memory_pool_t pool, uint32_t,
                                         void** agent_ptr) {
  return guarded([&] {
    Pool* found = Runtime::instance().find_pool(pool.handle);
    require(found && !found->owner->gpu,
            static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
    return lock(host_ptr, size, agents, num_agent, found, agent_ptr);
  });
}

hsa_status_t hsa_amd_memory_unlock(void* host_ptr) {
  return guarded([&] {
    require(Runtime::instance().allocations.unlock(host_pointer(host_ptr)),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
  });
}

// The core API's registration gives every agent access to host memory.
hsa_status_t hsa_memory_register(void* ptr, size_t size) {
  return guarded([&] {
    if (size == 0 && !ptr) return HSA_STATUS_SUCCESS;
    require(ptr && size, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    auto& runtime = Runtime::instance();
    const auto present = runtime.allocations.find(host_pointer(ptr));
    if (present && present->type == HSA_EXT_POINTER_TYPE_HSA) return HSA_STATUS_SUCCESS;
    runtime.allocations.lock(ptr, size, &runtime.cpu().pools.front(), all_gpus());
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_memory_deregister(void* ptr, size_t) {
  return guarded([&] {
    Runtime::instance().allocations.unlock(
        host_pointer(ptr));  // memory of pools needs no registration
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_memory_assign_agent(void* ptr, hsa_agent_t agent, hsa_access_permission_t) {
  return guarded([&] {
    require(ptr != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    Runtime::instance().checked(agent);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size) {
  return guarded([&] {
    require(size == 0 || (dst && src), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    copy_now(host_pointer(dst), host_pointer(src), size);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count) {
  return guarded([&] {
    require(count == 0 || (ptr && reinterpret_cast<std::uint64_t>(ptr) % 4 == 0),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    std::fill_n(static_cast<std::uint32_t*>(host_pointer(ptr)), count, value);
    if (auto& checker = Runtime::instance().checker)
      checker->host_wrote(host_pointer(ptr), count * sizeof value);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info,
                                  void* (*alloc)(size_t), uint32_t* num_agents_accessible,
                                  hsa_agent_t** accessible) {
  return guarded([&] {
    require(ptr && info && info->size, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    hsa_amd_pointer_info_t known{};
    known.size = std::min<std::uint32_t>(info->size, sizeof known);
    const auto allocation = Runtime::instance().allocations.find(host_pointer(ptr));
    if (allocation) fill_info(*allocation, known);
    std::memcpy(info, &known, known.size);
    return put_access(allocation.value_or(Allocation{}), alloc, num_agents_accessible, accessible);
  });
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void* ptr, void* userdata) {
  return guarded([&] {
    const bool known = Runtime::instance().allocations.change(
        host_pointer(ptr), [&](Allocation& allocation) { allocation.user_data = userdata; });
    return known ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_amd_register_deallocation_callback(void* ptr,
                                                    hsa_amd_deallocation_callback_t callback,
                                                    void* user_data) {
  return guarded([&] {
    require(ptr && callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const bool known = Runtime::instance().allocations.change(
        host_pointer(ptr),
        [&](Allocation& allocation) { allocation.on_free.emplace_back(callback, user_data); });
    return known ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
  });
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void* ptr,
                                                      hsa_amd_deallocation_callback_t callback) {
  return guarded([&] {
    bool removed = false;
    Runtime::instance().allocations.change(host_pointer(ptr), [&](Allocation& allocation) {
      removed = std::erase_if(allocation.on_free,
                              [&](const auto& each) { return each.first == callback; }) > 0;
    });
    return removed ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t* type) {
  return guarded([&] {
    Runtime::instance().checked(agent);
    return put(type, HSA_AMD_COHERENCY_TYPE_COHERENT);
  });
}

hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t) {
  return guarded([&] {
    Runtime::instance().checked(agent);
    return HSA_STATUS_SUCCESS;  // always coherent, which is more than anybody can ask for
  });
}
}

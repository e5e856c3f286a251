#include "replay/hsa/agents.h"

#include <array>

#include "replay/hsa/status.h"

namespace geak::replay {
namespace {

template <typename T>
T agent_info(hsa_agent_t agent, hsa_amd_agent_info_t what, T otherwise) {
  T value{};
  const auto status = hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(what), &value);
  return status == HSA_STATUS_SUCCESS ? value : otherwise;
}

bool of_processor(const std::string& isa, const std::string& processor) {
  if (processor.empty()) return true;
  const auto at = isa.rfind("--");
  const auto name = at == std::string::npos ? isa : isa.substr(at + 2);
  return name.substr(0, name.find(':')) == processor;
}

hsa_status_t look_at_agent(hsa_agent_t agent, void* data) {
  auto& agents = *static_cast<Agents*>(data);
  hsa_device_type_t type{};
  if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS) {
    return HSA_STATUS_SUCCESS;
  }
  if (type == HSA_DEVICE_TYPE_CPU && !agents.cpu.handle) agents.cpu = agent;
  if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
  const auto isa = isa_of(agent);
  agents.seen += (agents.seen.empty() ? "" : ", ") + isa;
  if (!agents.gpu.handle && of_processor(isa, agents.processor)) agents.gpu = agent;
  return HSA_STATUS_SUCCESS;
}

struct PoolWish {
  bool kernarg = false;
  hsa_amd_memory_pool_t found{};
};

hsa_status_t look_at_pool(hsa_amd_memory_pool_t pool, void* data) {
  auto& wish = *static_cast<PoolWish*>(data);
  hsa_amd_segment_t segment{};
  std::uint32_t flags = 0;
  bool allowed = false;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
  const auto wanted = wish.kernarg ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT
                                   : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  if (segment == HSA_AMD_SEGMENT_GLOBAL && allowed && (flags & wanted)) {
    wish.found = pool;
    return HSA_STATUS_INFO_BREAK;
  }
  return HSA_STATUS_SUCCESS;
}

// Bytes of LDS that a workgroup can have: the size of the pool of the group segment.
hsa_status_t look_at_group_pool(hsa_amd_memory_pool_t pool, void* data) {
  hsa_amd_segment_t segment{};
  std::size_t bytes = 0;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes);
  if (segment == HSA_AMD_SEGMENT_GROUP) *static_cast<std::size_t*>(data) = bytes;
  return HSA_STATUS_SUCCESS;
}

hsa_amd_memory_pool_t pool_of(hsa_agent_t agent, bool kernarg) {
  PoolWish wish{kernarg, {}};
  hsa_amd_agent_iterate_memory_pools(agent, look_at_pool, &wish);
  if (!wish.found.handle) {
    throw std::runtime_error(kernarg ? "no memory pool for kernel arguments"
                                     : "the GPU has no memory pool");
  }
  return wish.found;
}

}  // namespace

Agents find_agents(const std::string& processor) {
  Agents agents;
  agents.processor = processor;
  check_hsa(hsa_iterate_agents(look_at_agent, &agents), "hsa_iterate_agents");
  if (!agents.gpu.handle) {
    throw std::runtime_error("no GPU for " + processor + " code (there is: " +
                             (agents.seen.empty() ? "none" : agents.seen) + ")");
  }
  return agents;
}

std::string isa_of(hsa_agent_t agent) {
  std::string name;
  hsa_agent_iterate_isas(
      agent,
      [](hsa_isa_t isa, void* data) {
        std::uint32_t bytes = 0;
        if (hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &bytes) != HSA_STATUS_SUCCESS) {
          return HSA_STATUS_SUCCESS;
        }
        std::string text(bytes + 1, '\0');
        if (hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, text.data()) == HSA_STATUS_SUCCESS) {
          *static_cast<std::string*>(data) = text.c_str();
        }
        return HSA_STATUS_INFO_BREAK;
      },
      &name);
  return name;
}

std::string product_of(hsa_agent_t agent) {
  std::array<char, 64> name{};
  const auto what = static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME);
  if (hsa_agent_get_info(agent, what, name.data()) != HSA_STATUS_SUCCESS) return "GPU";
  return name.data();
}

std::uint32_t lds_bytes_of(hsa_agent_t agent) {
  constexpr std::size_t kLdsOfCdna = 65536;  // where the device does not say
  std::size_t lds = 0;
  hsa_amd_agent_iterate_memory_pools(agent, look_at_group_pool, &lds);
  return static_cast<std::uint32_t>(lds ? lds : kLdsOfCdna);
}

double peak_bandwidth_of(hsa_agent_t agent) {
  const auto width = agent_info<std::uint32_t>(agent, HSA_AMD_AGENT_INFO_MEMORY_WIDTH, 0);
  const auto clock = agent_info<std::uint32_t>(agent, HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY, 0);
  // Bits of the bus, two transfers a cycle, MHz: bytes a microsecond, so /1000 a nanosecond.
  return width / 8.0 * 2.0 * clock / 1000.0;
}

hsa_amd_memory_pool_t device_pool_of(hsa_agent_t gpu) { return pool_of(gpu, false); }
hsa_amd_memory_pool_t kernarg_pool_of(hsa_agent_t cpu) { return pool_of(cpu, true); }

}  // namespace geak::replay

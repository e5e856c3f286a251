// Which GPU of those that HSA offers, what it is called and where its memory comes from.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <string>

namespace geak::replay {

struct Agents {
  std::string processor;  // wished for; empty: any
  hsa_agent_t gpu{}, cpu{};
  std::string seen;  // instruction sets of the GPUs there are
};

// The first GPU whose instruction set is `processor` ("gfx90a"); of any where that is empty. Throws
// std::runtime_error that says what there is instead.
Agents find_agents(const std::string& processor);

// "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
std::string isa_of(hsa_agent_t agent);
std::string product_of(hsa_agent_t agent);
// Bytes of LDS that a workgroup can have.
std::uint32_t lds_bytes_of(hsa_agent_t agent);
// Bytes a nanosecond that its memory can deliver at most; 0 where HSA does not say.
double peak_bandwidth_of(hsa_agent_t agent);

// Throw std::runtime_error where there is none.
hsa_amd_memory_pool_t device_pool_of(hsa_agent_t gpu);
hsa_amd_memory_pool_t kernarg_pool_of(hsa_agent_t cpu);

}  // namespace geak::replay

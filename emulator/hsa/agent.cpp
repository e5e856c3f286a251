#include "emulator/hsa/agent.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace geak::emulator {
namespace {

std::uint64_t host_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string host_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos) {
      return line.substr(line.find(": ") + 2);
    }
  }
  return "CPU";
}

}  // namespace

std::unique_ptr<Agent> make_cpu_agent() {
  auto agent = std::make_unique<Agent>();
  agent->name = host_name();
  const auto add = [&](std::uint32_t flags) {
    agent->pools.push_back({agent.get(), HSA_AMD_SEGMENT_GLOBAL, flags, host_memory_bytes()});
  };
  add(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
  add(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
  add(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  return agent;
}

std::unique_ptr<Agent> make_gpu_agent(const DeviceDescription& device, Arch reported,
                                      unsigned index, unsigned threads) {
  auto agent = std::make_unique<Agent>();
  agent->gpu = true;
  agent->node = index + 1;
  agent->index = index;
  agent->name = to_string(reported);
  agent->device = &device;
  // Programs that size their work by the free memory must not exceed the host's.
  const std::uint64_t bytes = std::min(
      device.memory_bytes, host_memory_bytes() / 4 * 3 / kAllocationGranule * kAllocationGranule);
  agent->pools.push_back(
      {agent.get(), HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, bytes});
  agent->pools.push_back(
      {agent.get(), HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED, bytes});
  agent->pools.push_back({agent.get(), HSA_AMD_SEGMENT_GROUP, 0, device.lds_bytes});
  agent->caches.push_back({agent.get(), agent->name + " L1", 1, device.l1_bytes});
  agent->caches.push_back({agent.get(), agent->name + " L2", 2, device.l2_bytes});
  if (device.infinity_cache_bytes) {
    agent->caches.push_back({agent.get(), agent->name + " L3", 3,
                             static_cast<std::uint32_t>(device.infinity_cache_bytes)});
  }
  agent->isa = std::make_unique<Isa>(
      Isa{agent.get(), "amdgcn-amd-amdhsa--" + agent->name + ":sramecc+:xnack-"});
  agent->executor = make_executor(device, threads);
  return agent;
}

}  // namespace geak::emulator

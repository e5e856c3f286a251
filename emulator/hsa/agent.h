// Agents (one CPU, some GPUs) and their memory pools, regions, instruction sets and caches.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "emulator/hsa/device_clock.h"
#include "emulator/wave/dispatch.h"

namespace geak::emulator {

struct Agent;

// A memory pool of the AMD extension and, under the same handle, a region of the core API.
struct Pool {
  Agent* owner = nullptr;
  hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL;
  std::uint32_t flags = 0;  // hsa_amd_memory_pool_global_flag_t
  std::uint64_t bytes = 0;

  bool allocatable() const { return segment == HSA_AMD_SEGMENT_GLOBAL; }
};

struct Isa {
  Agent* agent = nullptr;
  std::string name;  // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
};

struct Cache {
  Agent* agent = nullptr;
  std::string name;
  std::uint8_t level = 1;
  std::uint32_t bytes = 0;
};

struct Agent {
  bool gpu = false;
  unsigned node = 0;                          // over all agents
  unsigned index = 0;                         // over agents of its kind
  std::string name;                           // "gfx90a", or the CPU's
  const DeviceDescription* device = nullptr;  // GPUs only
  std::deque<Pool> pools;
  std::deque<Cache> caches;
  std::unique_ptr<Isa> isa;            // GPUs only
  std::unique_ptr<Executor> executor;  // GPUs only
  DeviceClock copies_in, copies_out;   // one copy engine a direction

  hsa_agent_t handle() const { return {reinterpret_cast<std::uint64_t>(this)}; }
};

// Alignment and granule of every allocation: one page.
inline constexpr std::size_t kAllocationGranule = 4096;

std::unique_ptr<Agent> make_cpu_agent();
std::unique_ptr<Agent> make_gpu_agent(const DeviceDescription& device, Arch reported,
                                      unsigned index, unsigned threads);

}  // namespace geak::emulator

#include "replay/hsa/hsa_device.h"

#include <algorithm>
#include <cstring>

#include "replay/hsa/agents.h"
#include "replay/hsa/hsa_kernel.h"
#include "replay/hsa/status.h"

namespace geak::replay {
namespace {

constexpr std::size_t kKernargBytes = 1u << 16;

// All of the memory of arguments: behind them it holds something else at each launch.
std::vector<std::byte> kernarg_memory(std::span<const std::byte> kernarg, std::uint64_t launch) {
  std::vector<std::byte> memory(kKernargBytes);
  for (std::size_t at = 0; at < memory.size(); ++at)
    memory[at] = static_cast<std::byte>((at * 0x9e3779b97f4a7c15ull + launch * 0x51ull) >> 37);
  std::copy(kernarg.begin(), kernarg.end(), memory.begin());
  return memory;
}

double ns_of_tick() {
  std::uint64_t frequency = 0;
  check_hsa(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency),
            "hsa_system_get_info");
  return frequency ? 1e9 / static_cast<double>(frequency) : 1;
}

}  // namespace

HsaDevice::HsaDevice(const std::string& processor) {
  check_hsa(hsa_init(), "hsa_init");
  try {
    describe(processor);
    allocate_kernarg();
  } catch (...) {
    hsa_shut_down();
    throw;
  }
}

void HsaDevice::describe(const std::string& processor) {
  const auto agents = find_agents(processor);
  agent_ = agents.gpu;
  isa_ = isa_of(agent_);
  name_ = product_of(agent_);
  lds_bytes_ = lds_bytes_of(agent_);
  peak_bandwidth_ = peak_bandwidth_of(agent_);
  ns_per_tick_ = ns_of_tick();
  device_pool_ = device_pool_of(agent_);
  kernarg_pool_ = kernarg_pool_of(agents.cpu);
}

void HsaDevice::allocate_kernarg() {
  void* memory = nullptr;
  check_hsa(hsa_amd_memory_pool_allocate(kernarg_pool_, kKernargBytes, 0, &memory),
            "allocating kernel arguments");
  check_hsa(hsa_amd_agents_allow_access(1, &agent_, nullptr, memory),
            "hsa_amd_agents_allow_access");
  kernarg_ = static_cast<std::byte*>(memory);
}

HsaDevice::~HsaDevice() {
  queues_ = {};
  hsa_amd_memory_pool_free(kernarg_);
  hsa_shut_down();
}

HsaDevice::Memory HsaDevice::allocate(std::size_t bytes) {
  void* memory = nullptr;
  check_hsa(hsa_amd_memory_pool_allocate(device_pool_, std::max<std::size_t>(bytes, 1), 0, &memory),
            "allocating device memory");
  return {static_cast<std::byte*>(memory), [](std::byte* at) { hsa_amd_memory_pool_free(at); }};
}

void HsaDevice::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_hsa(hsa_memory_copy(to, from, bytes), "hsa_memory_copy");
}

void HsaDevice::fill(std::byte* at, std::byte value, std::size_t bytes) {
  const std::vector<std::byte> filler(bytes, value);
  copy(at, filler.data(), filler.size());
}

Queue& HsaDevice::queue(bool cooperative) {
  auto& entry = queues_[cooperative];
  if (entry && entry->failed()) entry.reset();
  if (!entry) entry = std::make_unique<Queue>(agent_, cooperative);
  return *entry;
}

std::uint64_t HsaDevice::queue_address(bool cooperative) { return queue(cooperative).address(); }

double HsaDevice::run(std::uint64_t kernel_object, const DispatchShape& shape,
                      std::span<const std::byte> kernarg, std::chrono::milliseconds limit) {
  if (kernarg.size() > kKernargBytes) throw std::runtime_error("too many kernel arguments");
  const auto arguments = kernarg_memory(kernarg, ++launches_);
  std::memcpy(kernarg_, arguments.data(), arguments.size());
  const Signal completion, ended;
  auto& used = queue(shape.cooperative);
  used.submit(kernel_object, shape, kernarg_, completion, ended);
  if (const auto problem = used.wait(ended, limit); !problem.empty()) {
    queues_[shape.cooperative].reset();  // ends what still runs on it
    throw DeviceFault(problem);
  }
  if (std::memcmp(kernarg_, arguments.data(), arguments.size()) != 0)
    throw DeviceFault("it wrote to the memory of its arguments");
  if (hsa_signal_load_scacquire(completion.get()) != 0)
    throw DeviceFault("something else than its end has changed its completion signal");
  hsa_amd_profiling_dispatch_time_t time{};
  check_hsa(hsa_amd_profiling_get_dispatch_time(agent_, completion.get(), &time),
            "hsa_amd_profiling_get_dispatch_time");
  return static_cast<double>(time.end - time.start) * ns_per_tick_;
}

std::unique_ptr<LoadedKernel> HsaDevice::load(std::vector<std::byte> code,
                                              const std::string& kernel) {
  return load_hsa_kernel(*this, std::move(code), kernel);
}

}  // namespace geak::replay

#include "replay/replayer/hsa_device.h"

#include <algorithm>
#include <cstring>

#include "replay/code_object/elf.h"
#include "replay/replayer/kernarg.h"

namespace geak::replay {
namespace {

constexpr std::uint32_t kQueuePackets = 64;
constexpr std::size_t kKernargBytes = 1u << 16;
// Scratch of a work-item whose stack no compiler could measure: what code objects of version 4
// assume.
constexpr std::uint32_t kAssumedStackBytes = 16384;

std::string text_of(hsa_status_t status) {
  const char* text = nullptr;
  if (hsa_status_string(status, &text) == HSA_STATUS_SUCCESS && text) return text;
  return "HSA status " + std::to_string(status);
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

template <typename T>
T agent_info(hsa_agent_t agent, hsa_amd_agent_info_t what, T otherwise) {
  T value{};
  const auto status = hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(what), &value);
  return status == HSA_STATUS_SUCCESS ? value : otherwise;
}

std::string product_of(hsa_agent_t agent) {
  std::array<char, 64> name{};
  const auto what = static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME);
  if (hsa_agent_get_info(agent, what, name.data()) != HSA_STATUS_SUCCESS) return "GPU";
  return name.data();
}

bool of_processor(const std::string& isa, const std::string& processor) {
  if (processor.empty()) return true;
  const auto at = isa.rfind("--");
  const auto name = at == std::string::npos ? isa : isa.substr(at + 2);
  return name.substr(0, name.find(':')) == processor;
}

struct Agents {
  std::string processor;
  hsa_agent_t gpu{}, cpu{};
  std::string seen;
};

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

namespace {

void push_barrier(hsa_queue_t& queue, hsa_signal_t completion) {
  const auto index = hsa_queue_add_write_index_screlease(&queue, 1);
  auto* packet = static_cast<hsa_barrier_and_packet_t*>(queue.base_address) + index % queue.size;
  std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
  packet->completion_signal = completion;
  const std::uint16_t header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                               1 << HSA_PACKET_HEADER_BARRIER |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(packet), header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue.doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

}  // namespace

void check_hsa(hsa_status_t status, const char* what) {
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return;
  throw std::runtime_error(std::string(what) + ": " + text_of(status));
}

struct HsaDevice::Queue {
  hsa_queue_t* queue = nullptr;
  std::atomic<hsa_status_t> error{HSA_STATUS_SUCCESS};

  Queue(hsa_agent_t agent, bool cooperative) {
    const auto type = cooperative ? HSA_QUEUE_TYPE_COOPERATIVE : HSA_QUEUE_TYPE_MULTI;
    check_hsa(hsa_queue_create(
                  agent, kQueuePackets, type,
                  [](hsa_status_t status, hsa_queue_t*, void* data) {
                    static_cast<Queue*>(data)->error = status;
                  },
                  this, UINT32_MAX, UINT32_MAX, &queue),
              "hsa_queue_create");
    hsa_amd_profiling_set_profiler_enabled(queue, 1);
  }
  ~Queue() { hsa_queue_destroy(queue); }
};

HsaDevice::HsaDevice(const std::string& processor) {
  check_hsa(hsa_init(), "hsa_init");
  try {
    find_agents(processor);
    find_pools();
  } catch (...) {
    hsa_shut_down();
    throw;
  }
}

void HsaDevice::find_agents(const std::string& processor) {
  Agents agents;
  agents.processor = processor;
  check_hsa(hsa_iterate_agents(look_at_agent, &agents), "hsa_iterate_agents");
  if (!agents.gpu.handle) {
    throw std::runtime_error("no GPU for " + processor + " code (there is: " +
                             (agents.seen.empty() ? "none" : agents.seen) + ")");
  }
  agent_ = agents.gpu;
  cpu_ = agents.cpu;
  isa_ = isa_of(agent_);
  name_ = product_of(agent_);
  const auto width = agent_info<std::uint32_t>(agent_, HSA_AMD_AGENT_INFO_MEMORY_WIDTH, 0);
  const auto clock = agent_info<std::uint32_t>(agent_, HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY, 0);
  // Bits of the bus, two transfers a cycle, MHz: bytes a microsecond, so /1000 a nanosecond.
  peak_bandwidth_ = width / 8.0 * 2.0 * clock / 1000.0;
  std::uint64_t frequency = 0;
  check_hsa(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency),
            "hsa_system_get_info");
  ns_per_tick_ = frequency ? 1e9 / static_cast<double>(frequency) : 1;
}

void HsaDevice::find_pools() {
  constexpr std::size_t kLdsOfCdna = 65536;  // where the device does not say
  std::size_t lds = 0;
  hsa_amd_agent_iterate_memory_pools(agent_, look_at_group_pool, &lds);
  lds_bytes_ = static_cast<std::uint32_t>(lds ? lds : kLdsOfCdna);
  device_pool_ = pool_of(agent_, false);
  kernarg_pool_ = pool_of(cpu_, true);
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

HsaDevice::Queue& HsaDevice::queue(bool cooperative) {
  auto& entry = queues_[cooperative];
  if (entry && entry->error != HSA_STATUS_SUCCESS) entry.reset();
  if (!entry) entry = std::make_unique<Queue>(agent_, cooperative);
  return *entry;
}

std::uint64_t HsaDevice::queue_address(bool cooperative) {
  return reinterpret_cast<std::uint64_t>(queue(cooperative).queue);
}

double HsaDevice::run(std::uint64_t kernel_object, const DispatchShape& shape,
                      std::span<const std::byte> kernarg, std::chrono::milliseconds limit) {
  if (kernarg.size() > kKernargBytes) throw std::runtime_error("too many kernel arguments");
  auto& used = queue(shape.cooperative);
  // All of that memory holds something else each time, and nothing of it may be changed.
  std::vector<std::byte> arguments(kKernargBytes);
  const auto launch = ++launches_;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    arguments[at] = static_cast<std::byte>((at * 0x9e3779b97f4a7c15ull + launch * 0x51ull) >> 37);
  }
  std::memcpy(arguments.data(), kernarg.data(), kernarg.size());
  std::memcpy(kernarg_, arguments.data(), arguments.size());
  hsa_signal_t signal{};
  check_hsa(hsa_signal_create(1, 0, nullptr, &signal), "hsa_signal_create");
  const std::shared_ptr<void> destroy(nullptr, [&](void*) { hsa_signal_destroy(signal); });

  const auto index = hsa_queue_add_write_index_screlease(used.queue, 1);
  auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(used.queue->base_address) +
                 index % used.queue->size;
  std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
  packet->workgroup_size_x = static_cast<std::uint16_t>(shape.block[0]);
  packet->workgroup_size_y = static_cast<std::uint16_t>(shape.block[1]);
  packet->workgroup_size_z = static_cast<std::uint16_t>(shape.block[2]);
  packet->grid_size_x = shape.grid[0];
  packet->grid_size_y = shape.grid[1];
  packet->grid_size_z = shape.grid[2];
  packet->private_segment_size = shape.private_bytes;
  packet->group_segment_size = shape.group_bytes;
  packet->kernel_object = kernel_object;
  packet->kernarg_address = kernarg_;
  packet->completion_signal = signal;
  const std::uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                               1 << HSA_PACKET_HEADER_BARRIER |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  const std::uint32_t first = header | 3u << (16 + HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(packet), first, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(used.queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));

  // The kernel can reach its own completion signal through its packet; of the packet behind it,
  // which waits for its end, it knows nothing.
  hsa_signal_t ended{};
  check_hsa(hsa_signal_create(1, 0, nullptr, &ended), "hsa_signal_create");
  const std::shared_ptr<void> destroy_ended(nullptr, [&](void*) { hsa_signal_destroy(ended); });
  push_barrier(*used.queue, ended);

  // In slices, so that a fault that the queue reports ends the wait.
  std::uint64_t frequency = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency);
  const auto until = std::chrono::steady_clock::now() + limit;
  while (hsa_signal_wait_scacquire(ended, HSA_SIGNAL_CONDITION_LT, 1, frequency / 50 + 1,
                                   HSA_WAIT_STATE_BLOCKED) >= 1) {
    const auto error = used.error.load();
    const bool late = std::chrono::steady_clock::now() > until;
    if (error == HSA_STATUS_SUCCESS && !late) continue;
    queues_[shape.cooperative].reset();  // ends what still runs on it
    throw DeviceFault(late ? "it did not end within " + std::to_string(limit.count()) + " ms"
                           : text_of(error));
  }
  if (std::memcmp(kernarg_, arguments.data(), arguments.size()) != 0) {
    throw DeviceFault("it wrote to the memory of its arguments");
  }
  if (hsa_signal_load_scacquire(signal) != 0) {
    throw DeviceFault("something else than its end has changed its completion signal");
  }
  hsa_amd_profiling_dispatch_time_t time{};
  check_hsa(hsa_amd_profiling_get_dispatch_time(agent_, signal, &time),
            "hsa_amd_profiling_get_dispatch_time");
  return static_cast<double>(time.end - time.start) * ns_per_tick_;
}

LoadedProgram::LoadedProgram(HsaDevice& device, std::vector<std::byte> code)
    : device_(device), code_(std::move(code)) {
  check_hsa(hsa_code_object_reader_create_from_memory(code_.data(), code_.size(), &reader_),
            "hsa_code_object_reader_create_from_memory");
  check_hsa(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                      nullptr, &executable_),
            "hsa_executable_create_alt");
  check_hsa(hsa_executable_load_agent_code_object(executable_, device_.agent(), reader_, nullptr,
                                                  nullptr),
            "loading the code object");
  check_hsa(hsa_executable_freeze(executable_, nullptr), "hsa_executable_freeze");
}

LoadedProgram::~LoadedProgram() {
  hsa_executable_destroy(executable_);
  hsa_code_object_reader_destroy(reader_);
}

LoadedProgram::Kernel LoadedProgram::kernel(const std::string& symbol) const {
  hsa_executable_symbol_t found{};
  const auto agent = device_.agent();
  const auto status =
      hsa_executable_get_symbol_by_name(executable_, (symbol + ".kd").c_str(), &agent, &found);
  if (status != HSA_STATUS_SUCCESS) {
    throw std::runtime_error("the code object has no kernel " + symbol);
  }
  Kernel kernel;
  const auto get = [&](hsa_executable_symbol_info_t what, void* value) {
    check_hsa(hsa_executable_symbol_get_info(found, what, value), "hsa_executable_symbol_get_info");
  };
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object);
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group_bytes);
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &kernel.private_bytes);
  bool unknown_stack = false;  // recursion, calls through pointers
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, &unknown_stack);
  if (unknown_stack) kernel.private_bytes = std::max(kernel.private_bytes, kAssumedStackBytes);
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel.kernarg_bytes);
  return kernel;
}

std::uint64_t LoadedProgram::variable(const std::string& name) const {
  hsa_executable_symbol_t found{};
  const auto agent = device_.agent();
  if (hsa_executable_get_symbol_by_name(executable_, name.c_str(), &agent, &found) !=
      HSA_STATUS_SUCCESS) {
    return 0;
  }
  std::uint64_t address = 0;
  check_hsa(
      hsa_executable_symbol_get_info(found, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address),
      "hsa_executable_symbol_get_info");
  return address;
}

namespace {

KernelMetadata metadata_of(const std::vector<std::byte>& code, const std::string& kernel) {
  const auto kernels = read_kernel_metadata(read_elf(code).metadata);
  const auto* found = find_kernel_metadata(kernels, kernel);
  if (!found) throw std::runtime_error("the code object has no kernel " + kernel);
  return *found;
}

// Sections that are not written to, relative to the kernel's descriptor.
std::vector<LoadedKernel::Memory> constants_of(const std::vector<std::byte>& code,
                                               const std::string& kernel) {
  const auto elf = read_elf(code);
  std::vector<LoadedKernel::Memory> found;
  for (const auto& symbol : elf.symbols) {
    if (symbol.name != kernel + ".kd") continue;
    for (const auto& section : elf.sections) {
      if (section.writable || section.contents.empty()) continue;
      found.push_back({section.address - symbol.address, section.bytes});
    }
  }
  return found;
}

class HsaKernel : public LoadedKernel {
 public:
  HsaKernel(HsaDevice& device, std::vector<std::byte> code, const std::string& kernel)
      : device_(device),
        metadata_(metadata_of(code, kernel)),
        constants_(constants_of(code, kernel)),
        program_(device, std::move(code)),
        kernel_(program_.kernel(kernel)) {
    for (auto& memory : constants_) memory.address += kernel_.object;
  }

  const KernelMetadata& metadata() const override { return metadata_; }
  std::uint64_t variable(const std::string& name) const override { return program_.variable(name); }

  std::vector<Memory> constants() const override { return constants_; }

  double run(const KernelRun& run) override {
    DispatchShape shape;
    shape.grid = run.grid;
    shape.block = run.block;
    shape.group_bytes = kernel_.group_bytes + run.dynamic_lds;
    shape.private_bytes = kernel_.private_bytes;
    shape.cooperative = run.cooperative;
    const HiddenValues hidden{run.grid, run.block, run.dynamic_lds, run.cooperative,
                              device_.queue_address(run.cooperative)};
    return device_.run(kernel_.object, shape, build_kernarg(metadata_, run.arguments, hidden),
                       run.limit);
  }

 private:
  HsaDevice& device_;
  KernelMetadata metadata_;
  std::vector<Memory> constants_;
  LoadedProgram program_;
  LoadedProgram::Kernel kernel_;
};

}  // namespace

std::unique_ptr<LoadedKernel> HsaDevice::load(std::vector<std::byte> code,
                                              const std::string& kernel) {
  return std::make_unique<HsaKernel>(*this, std::move(code), kernel);
}

}  // namespace geak::replay

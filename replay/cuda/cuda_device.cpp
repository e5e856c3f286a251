#include "replay/cuda/cuda_device.h"

#include <algorithm>
#include <thread>

namespace geak::replay::cuda {
namespace {

constexpr std::size_t kQueuedBytes = 8u << 20;

Address address_of(const void* at) { return reinterpret_cast<Address>(at); }

int attribute(int which, DeviceNumber device) {
  int value = 0;
  check(driver().device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

}  // namespace

KernelMetadata metadata_of(Function function, const std::string& symbol) {
  const auto& api = driver();
  const auto number = [&](int which) {
    int value = 0;
    check(api.function_attribute(&value, which, function), "cuFuncGetAttribute");
    return static_cast<std::uint32_t>(value);
  };
  KernelMetadata metadata;
  metadata.symbol = symbol;
  metadata.static_lds = number(kStaticShared);
  metadata.scratch = number(kLocalBytes);
  metadata.vgprs = number(kRegisters);
  metadata.max_workgroup = number(kMaxThreads);
  metadata.wavefront = 32;
  std::size_t offset = 0, bytes = 0;
  for (std::size_t i = 0; api.parameter(function, i, &offset, &bytes) == kSuccess; ++i) {
    KernelArgument argument;
    argument.offset = static_cast<std::uint32_t>(offset);
    argument.bytes = static_cast<std::uint32_t>(bytes);
    argument.value_kind = bytes == 8 ? "global_buffer" : "by_value";
    metadata.arguments.push_back(std::move(argument));
  }
  metadata.kernarg_bytes = metadata.explicit_bytes();
  return metadata;
}

class CudaKernel : public LoadedKernel {
 public:
  CudaKernel(CudaDevice& device, const std::vector<std::byte>& code, const std::string& kernel)
      : device_(device) {
    const auto& api = driver();
    check(api.load(&module_, code.data()), "loading the cubin");
    try {
      if (api.function(&function_, module_, kernel.c_str()) != kSuccess)
        throw std::runtime_error("the cubin has no kernel " + kernel);
      metadata_ = metadata_of(function_, kernel);
    } catch (...) {
      api.unload(module_);
      throw;
    }
  }
  ~CudaKernel() override { driver().unload(module_); }

  const KernelMetadata& metadata() const override { return metadata_; }
  std::uint64_t variable(const std::string& name) const override {
    Address address = 0;
    std::size_t bytes = 0;
    return driver().global(&address, &bytes, module_, name.c_str()) == kSuccess ? address : 0;
  }
  double run(const KernelRun& run) override { return device_.run(function_, run); }

 private:
  CudaDevice& device_;
  Module module_ = nullptr;
  Function function_ = nullptr;
  KernelMetadata metadata_;
};

CudaDevice::CudaDevice() {
  const auto& api = driver();
  check(api.init(0), "cuInit");
  check(api.device_get(&device_, 0), "cuDeviceGet");
  char name[256] = "";
  check(api.device_name(name, sizeof name, device_), "cuDeviceGetName");
  name_ = name;
  architecture_ = "sm_" + std::to_string(attribute(kComputeMajor, device_)) +
                  std::to_string(attribute(kComputeMinor, device_));
  shared_bytes_ = static_cast<std::uint32_t>(attribute(kSharedBytesOptin, device_));
  l2_bytes_ = static_cast<std::size_t>(attribute(kL2Bytes, device_));
  // Two transfers a clock: kHz * 1000 * 2 * bytes a second, so / 1e9 a nanosecond.
  peak_bandwidth_ =
      attribute(kMemoryBusBits, device_) / 8.0 * 2.0 * attribute(kMemoryClockKhz, device_) / 1e6;
  Context context = nullptr;
  check(api.retain_context(&context, device_), "cuDevicePrimaryCtxRetain");
  check(api.set_context(context), "cuCtxSetCurrent");
  check(api.event_create(&start_, 0), "cuEventCreate");
  check(api.event_create(&end_, 0), "cuEventCreate");
}

CudaDevice::~CudaDevice() {
  scratch_.reset();
  driver().release_context(device_);  // with all that was made in it
}

Device::Memory CudaDevice::allocate(std::size_t bytes) {
  Address address = 0;
  check(driver().allocate(&address, std::max<std::size_t>(bytes, 256)), "cuMemAlloc");
  return {reinterpret_cast<std::byte*>(address),
          [](std::byte* at) { driver().free(address_of(at)); }};
}

void CudaDevice::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes) check(driver().copy(address_of(to), address_of(from), bytes), "cuMemcpy");
}

void CudaDevice::fill(std::byte* at, std::byte value, std::size_t bytes) {
  if (bytes)
    check(driver().fill(address_of(at), static_cast<unsigned char>(value), bytes), "cuMemsetD8");
}

std::unique_ptr<LoadedKernel> CudaDevice::load(std::vector<std::byte> code,
                                               const std::string& kernel) {
  return std::make_unique<CudaKernel>(*this, code, kernel);
}

double CudaDevice::run(Function function, const KernelRun& run) {
  const auto& api = driver();
  if (flush_) {
    if (!scratch_) scratch_ = allocate(2 * l2_bytes_);
    // Also work that the launch can be queued behind: on an idle GPU its own latency would count.
    fill(scratch_.get(), std::byte{0}, run.follows_another ? kQueuedBytes : 2 * l2_bytes_);
  }
  if (run.dynamic_lds > 0)
    check(
        api.set_function_attribute(function, kMaxDynamicShared, static_cast<int>(run.dynamic_lds)),
        "asking for dynamic shared memory");
  support::Extent groups{};
  for (int axis = 0; axis < 3; ++axis)
    groups[axis] = (run.grid[axis] + run.block[axis] - 1) / run.block[axis];
  auto arguments = run.arguments;
  std::size_t bytes = arguments.size();
  void* extra[] = {kParamBuffer, arguments.data(), kParamBytes, &bytes, kParamEnd};
  if (run.cooperative) throw DeviceFault("cooperative launches are not replayed on NVIDIA GPUs");
  check(api.event_record(start_, nullptr), "cuEventRecord");
  const Result launched =
      api.launch(function, groups[0], groups[1], groups[2], run.block[0], run.block[1],
                 run.block[2], run.dynamic_lds, nullptr, nullptr, extra);
  if (launched != kSuccess) throw DeviceFault("it cannot be launched: " + text_of(launched));
  check(api.event_record(end_, nullptr), "cuEventRecord");
  const auto until = std::chrono::steady_clock::now() + run.limit;
  Result state = api.event_query(end_);
  while (state == kNotReady) {
    if (std::chrono::steady_clock::now() > until)
      throw DeviceFault("it did not end within " + std::to_string(run.limit.count()) + " ms");
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    state = api.event_query(end_);
  }
  if (state != kSuccess) throw DeviceFault(text_of(state));
  float ms = 0;
  check(api.event_elapsed(&ms, start_, end_), "cuEventElapsedTime");
  return static_cast<double>(ms) * 1e6;
}

}  // namespace geak::replay::cuda

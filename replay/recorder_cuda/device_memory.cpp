// The recorder's access to device memory (recorder/device_memory.h), by the CUDA runtime and
// driver.
#include "replay/recorder/device_memory.h"

#include <cstring>
#include <stdexcept>

#include "replay/cuda/driver_api.h"
#include "replay/recorder_cuda/runtime_api.h"

namespace geak::replay {
namespace {

using cuda::driver;

int attribute(int which, cuda::DeviceNumber device) {
  int value = 0;
  cuda::check(driver().device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

}  // namespace

DeviceName current_device() {
  int number = 0;
  if (cuda::real<cuda::Status(int*)>("cudaGetDevice")(&number) != 0)
    throw std::runtime_error("cudaGetDevice failed");
  cuda::DeviceNumber device = 0;
  cuda::check(driver().device_get(&device, number), "cuDeviceGet");
  char name[256] = "";
  cuda::check(driver().device_name(name, sizeof name, device), "cuDeviceGetName");
  return {name, "sm_" + std::to_string(attribute(cuda::kComputeMajor, device)) +
                    std::to_string(attribute(cuda::kComputeMinor, device))};
}

void synchronize() { cuda::check(driver().synchronize(), "cuCtxSynchronize"); }

std::vector<std::byte> read_memory(const Allocation& allocation) {
  std::vector<std::byte> contents(allocation.bytes);
  cuda::check(driver().copy(reinterpret_cast<cuda::Address>(contents.data()), allocation.base,
                            allocation.bytes),
              "cuMemcpy");
  return contents;
}

Allocation registered_global(const void* host_variable, const std::string& name) {
  void* address = nullptr;
  std::size_t bytes = 0;
  const auto get_address = cuda::real<cuda::Status(void**, const void*)>("cudaGetSymbolAddress");
  const auto get_size = cuda::real<cuda::Status(std::size_t*, const void*)>("cudaGetSymbolSize");
  if (get_address(&address, host_variable) != 0 || get_size(&bytes, host_variable) != 0) {
    // What the program would read as its last error must not be ours.
    static_cast<void>(cuda::real<cuda::Status()>("cudaGetLastError")());
    return {};
  }
  return {reinterpret_cast<std::uint64_t>(address), bytes, MemoryKind::global, name, 0};
}

// Modules that a program loads itself are not recorded.
Allocation module_global(const void*, const std::string&) { return {}; }

std::optional<Allocation> ask_runtime(std::uint64_t address) {
  cuda::Address base = 0;
  std::size_t bytes = 0;
  if (driver().address_range(&base, &bytes, address) != cuda::kSuccess || !bytes)
    return std::nullopt;
  return Allocation{base, bytes, MemoryKind::device, "", 0};
}

}  // namespace geak::replay

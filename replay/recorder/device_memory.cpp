#include "replay/recorder/device_memory.h"

#include <cstring>
#include <stdexcept>

#include "replay/recorder/real_api.h"

namespace geak::replay {
namespace {

void check(hipError_t status, const char* what) {
  if (status == hipSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + GEAK_REAL(hipGetErrorString)(status));
}

// HIP keeps the last error of a thread: what the program would read must not be ours.
void forget_error() { static_cast<void>(GEAK_REAL(hipGetLastError)()); }

}  // namespace

DeviceName current_device() {
  int device = 0;
  check(GEAK_REAL(hipGetDevice)(&device), "hipGetDevice");
  hipDeviceProp_t properties{};
  check(GEAK_REAL(hipGetDeviceProperties)(&properties, device), "hipGetDeviceProperties");
  return {properties.name, properties.gcnArchName};
}

void synchronize() { check(GEAK_REAL(hipDeviceSynchronize)(), "hipDeviceSynchronize"); }

std::vector<std::byte> read_memory(const Allocation& allocation) {
  std::vector<std::byte> contents(allocation.bytes);
  check(GEAK_REAL(hipMemcpy)(contents.data(), reinterpret_cast<const void*>(allocation.base),
                             allocation.bytes, hipMemcpyDeviceToHost),
        "hipMemcpy");
  return contents;
}

Allocation registered_global(const void* host_variable, const std::string& name) {
  void* address = nullptr;
  std::size_t bytes = 0;
  // By their types: HIP's header overloads both names with templates.
  if (real<hipError_t(void**, const void*)>("hipGetSymbolAddress")(&address, host_variable) !=
          hipSuccess ||
      real<hipError_t(std::size_t*, const void*)>("hipGetSymbolSize")(&bytes, host_variable) !=
          hipSuccess) {
    forget_error();
    return {};
  }
  return {reinterpret_cast<std::uint64_t>(address), bytes, MemoryKind::global, name, 0};
}

Allocation module_global(const void* module, const std::string& name) {
  hipDeviceptr_t address = nullptr;
  std::size_t bytes = 0;
  auto handle = static_cast<hipModule_t>(const_cast<void*>(module));
  if (GEAK_REAL(hipModuleGetGlobal)(&address, &bytes, handle, name.c_str()) != hipSuccess) {
    forget_error();
    return {};
  }
  return {reinterpret_cast<std::uint64_t>(address), bytes, MemoryKind::global, name, 0};
}

std::optional<Allocation> ask_runtime(std::uint64_t address) {
  hipDeviceptr_t base = nullptr;
  std::size_t bytes = 0;
  auto pointer = reinterpret_cast<hipDeviceptr_t>(address);
  if (GEAK_REAL(hipMemGetAddressRange)(&base, &bytes, pointer) != hipSuccess || !bytes) {
    forget_error();
    return std::nullopt;
  }
  return Allocation{reinterpret_cast<std::uint64_t>(base), bytes, MemoryKind::device, "", 0};
}

}  // namespace geak::replay

// Hooks of HIP's allocators: they keep the map of the program's memory.
#include "replay/recorder/real_api.h"
#include "replay/recorder/recorder.h"

namespace geak::replay {
namespace {

using Call1 = hipError_t(void*);

// Calls HIP's function of this type and name, keeping what it hands out.
template <typename Function, typename... Arguments>
hipError_t allocate(const char* name, MemoryKind kind, void** pointer, std::size_t bytes,
                    Arguments... arguments) {
  auto* const function = real<Function>(name);
  const hipError_t status = function(pointer, bytes, arguments...);
  if (status == hipSuccess) remember(*pointer, bytes, kind);
  return status;
}

// The map forgets first (recorder.h).
hipError_t release(const char* name, void* pointer) {
  forget(pointer);
  return real<Call1>(name)(pointer);
}

// Memory of the host's own that the GPU may reach, perhaps at another address.
void remember_registered(void* host, std::size_t bytes) {
  void* device = nullptr;
  if (GEAK_REAL(hipHostGetDevicePointer)(&device, host, 0) != hipSuccess || !device) return;
  if (HookScope::inside()) return;
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  recorder.memory.add({reinterpret_cast<std::uint64_t>(device), bytes, MemoryKind::host, "",
                       reinterpret_cast<std::uint64_t>(host)});
}

}  // namespace
}  // namespace geak::replay

using namespace geak::replay;  // the hooks below must be global

GEAK_HOOK hipError_t hipMalloc(void** pointer, size_t bytes) {
  return allocate<hipError_t(void**, size_t)>("hipMalloc", MemoryKind::device, pointer, bytes);
}

GEAK_HOOK hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned int flags) {
  return allocate<hipError_t(void**, size_t, unsigned)>("hipExtMallocWithFlags", MemoryKind::device,
                                                        pointer, bytes, flags);
}

GEAK_HOOK hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream) {
  return allocate<hipError_t(void**, size_t, hipStream_t)>("hipMallocAsync", MemoryKind::device,
                                                           pointer, bytes, stream);
}

GEAK_HOOK hipError_t hipMallocFromPoolAsync(void** pointer, size_t bytes, hipMemPool_t pool,
                                            hipStream_t stream) {
  return allocate<hipError_t(void**, size_t, hipMemPool_t, hipStream_t)>(
      "hipMallocFromPoolAsync", MemoryKind::device, pointer, bytes, pool, stream);
}

GEAK_HOOK hipError_t hipMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  return allocate<hipError_t(void**, size_t, unsigned)>("hipMallocManaged", MemoryKind::managed,
                                                        pointer, bytes, flags);
}

GEAK_HOOK hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned int flags) {
  return allocate<hipError_t(void**, size_t, unsigned)>("hipHostMalloc", MemoryKind::host, pointer,
                                                        bytes, flags);
}

GEAK_HOOK hipError_t hipHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return allocate<hipError_t(void**, size_t, unsigned)>("hipHostAlloc", MemoryKind::host, pointer,
                                                        bytes, flags);
}

GEAK_HOOK hipError_t hipMallocHost(void** pointer, size_t bytes) {
  return allocate<hipError_t(void**, size_t)>("hipMallocHost", MemoryKind::host, pointer, bytes);
}

GEAK_HOOK hipError_t hipMemAllocHost(void** pointer, size_t bytes) {
  return allocate<hipError_t(void**, size_t)>("hipMemAllocHost", MemoryKind::host, pointer, bytes);
}

GEAK_HOOK hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  const auto status = real<hipError_t(void**, size_t*, size_t, size_t)>("hipMallocPitch")(
      pointer, pitch, width, height);
  if (status == hipSuccess) remember(*pointer, *pitch * height, MemoryKind::device);
  return status;
}

GEAK_HOOK hipError_t hipMemAllocPitch(hipDeviceptr_t* pointer, size_t* pitch, size_t width,
                                      size_t height, unsigned int element) {
  const auto status = real<hipError_t(hipDeviceptr_t*, size_t*, size_t, size_t, unsigned)>(
      "hipMemAllocPitch")(pointer, pitch, width, height, element);
  if (status == hipSuccess) remember(*pointer, *pitch * height, MemoryKind::device);
  return status;
}

GEAK_HOOK hipError_t hipMalloc3D(hipPitchedPtr* pitched, hipExtent extent) {
  const auto status = real<hipError_t(hipPitchedPtr*, hipExtent)>("hipMalloc3D")(pitched, extent);
  if (status == hipSuccess) {
    remember(pitched->ptr, pitched->pitch * extent.height * extent.depth, MemoryKind::device);
  }
  return status;
}

GEAK_HOOK hipError_t hipHostRegister(void* host, size_t bytes, unsigned int flags) {
  const auto status =
      real<hipError_t(void*, size_t, unsigned)>("hipHostRegister")(host, bytes, flags);
  if (status == hipSuccess) remember_registered(host, bytes);
  return status;
}

GEAK_HOOK hipError_t hipHostUnregister(void* host) {
  void* device = nullptr;
  if (GEAK_REAL(hipHostGetDevicePointer)(&device, host, 0) == hipSuccess) forget(device);
  return real<hipError_t(void*)>("hipHostUnregister")(host);
}

GEAK_HOOK hipError_t hipFree(void* pointer) { return release("hipFree", pointer); }
GEAK_HOOK hipError_t hipHostFree(void* pointer) { return release("hipHostFree", pointer); }
GEAK_HOOK hipError_t hipFreeHost(void* pointer) { return release("hipFreeHost", pointer); }

GEAK_HOOK hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  forget(pointer);
  return real<hipError_t(void*, hipStream_t)>("hipFreeAsync")(pointer, stream);
}

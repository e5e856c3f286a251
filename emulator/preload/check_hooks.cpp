// Preloaded by `geak check`: tells the checker what the program itself allocates and frees, which
// below HIP cannot be told from what the runtime does for itself.
#define __HIP_PLATFORM_AMD__
#define __HIP_DISABLE_CPP_FUNCTIONS__  // overloads, of which none has a type of its own
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

#include <cstdint>

#include "emulator/check/program_calls.h"
#include "emulator/preload/next_function.h"

namespace {

using geak::emulator::next_function;
using geak::emulator::check::Family;

// The emulator's HSA library; a program that brought another is not watched.
template <typename Function>
Function checker_function(const char* name) {
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

// `call` is what the runtime answered.
hipError_t allocated(const char* function, Family family, hipError_t call, const void* pointer,
                     std::size_t bytes) {
  static const auto tell =
      checker_function<decltype(&geak_check_allocated)>("geak_check_allocated");
  if (call == hipSuccess && pointer && tell) tell(function, family, pointer, bytes);
  return call;
}

// Whether the runtime may do it.
bool may_free(const char* function, Family family, const void* pointer) {
  // The first call of a program starts the runtime, and with it the checker.
  static const hipError_t started = next_function<decltype(&hipInit)>("hipInit")(0);
  static const auto ask = checker_function<decltype(&geak_check_frees)>("geak_check_frees");
  return started != hipSuccess || !pointer || !ask || ask(function, family, pointer);
}

template <typename Pointer>
const void* pointer_of(Pointer* const* made, hipError_t call) {
  return call == hipSuccess && made ? *made : nullptr;
}

std::size_t rows(const std::size_t* pitch, std::size_t count) { return pitch ? *pitch * count : 0; }

}  // namespace

// The runtime's function of the hook that names it.
#define GEAK_NEXT(name)                                             \
  ([] {                                                             \
    static const auto next = next_function<decltype(&name)>(#name); \
    return next;                                                    \
  }())

#define GEAK_HOOK extern "C" __attribute__((visibility("default"))) hipError_t

GEAK_HOOK hipMalloc(void** made, std::size_t bytes) {
  const auto call = GEAK_NEXT(hipMalloc)(made, bytes);
  return allocated("hipMalloc", Family::device, call, pointer_of(made, call), bytes);
}

GEAK_HOOK hipExtMallocWithFlags(void** made, std::size_t bytes, unsigned flags) {
  const auto call = GEAK_NEXT(hipExtMallocWithFlags)(made, bytes, flags);
  return allocated("hipExtMallocWithFlags", Family::device, call, pointer_of(made, call), bytes);
}

GEAK_HOOK hipMallocManaged(void** made, std::size_t bytes, unsigned flags) {
  const auto call = GEAK_NEXT(hipMallocManaged)(made, bytes, flags);
  return allocated("hipMallocManaged", Family::device, call, pointer_of(made, call), bytes);
}

GEAK_HOOK hipMallocAsync(void** made, std::size_t bytes, hipStream_t stream) {
  static const auto next =
      next_function<hipError_t (*)(void**, std::size_t, hipStream_t)>("hipMallocAsync");
  const auto call = next(made, bytes, stream);
  return allocated("hipMallocAsync", Family::device, call, pointer_of(made, call), bytes);
}

GEAK_HOOK hipMallocFromPoolAsync(void** made, std::size_t bytes, hipMemPool_t pool,
                                 hipStream_t stream) {
  static const auto next =
      next_function<hipError_t (*)(void**, std::size_t, hipMemPool_t, hipStream_t)>(
          "hipMallocFromPoolAsync");
  const auto call = next(made, bytes, pool, stream);
  return allocated("hipMallocFromPoolAsync", Family::device, call, pointer_of(made, call), bytes);
}

GEAK_HOOK hipMallocPitch(void** made, std::size_t* pitch, std::size_t width, std::size_t height) {
  const auto call = GEAK_NEXT(hipMallocPitch)(made, pitch, width, height);
  return allocated("hipMallocPitch", Family::device, call, pointer_of(made, call),
                   rows(pitch, height));
}

GEAK_HOOK hipMemAllocPitch(hipDeviceptr_t* made, std::size_t* pitch, std::size_t width,
                           std::size_t height, unsigned element) {
  const auto call = GEAK_NEXT(hipMemAllocPitch)(made, pitch, width, height, element);
  return allocated("hipMemAllocPitch", Family::device, call, pointer_of(made, call),
                   rows(pitch, height));
}

GEAK_HOOK hipMalloc3D(hipPitchedPtr* made, hipExtent extent) {
  const auto call = GEAK_NEXT(hipMalloc3D)(made, extent);
  if (call != hipSuccess || !made) return call;
  return allocated("hipMalloc3D", Family::device, call, made->ptr,
                   made->pitch * extent.height * extent.depth);
}

GEAK_HOOK hipHostMalloc(void** made, std::size_t bytes, unsigned flags) {
  const auto call = GEAK_NEXT(hipHostMalloc)(made, bytes, flags);
  return allocated("hipHostMalloc", Family::host, call, pointer_of(made, call), bytes);
}

GEAK_HOOK hipMallocHost(void** made, std::size_t bytes) {
  const auto call = GEAK_NEXT(hipMallocHost)(made, bytes);
  return allocated("hipMallocHost", Family::host, call, pointer_of(made, call), bytes);
}

GEAK_HOOK hipMemAllocHost(void** made, std::size_t bytes) {
  const auto call = GEAK_NEXT(hipMemAllocHost)(made, bytes);
  return allocated("hipMemAllocHost", Family::host, call, pointer_of(made, call), bytes);
}

GEAK_HOOK hipHostAlloc(void** made, std::size_t bytes, unsigned flags) {
  const auto call = GEAK_NEXT(hipHostAlloc)(made, bytes, flags);
  return allocated("hipHostAlloc", Family::host, call, pointer_of(made, call), bytes);
}

// Arrays: the pointer is one to the runtime's description of them, so they have no size here.
GEAK_HOOK hipMallocArray(hipArray** made, const hipChannelFormatDesc* format, std::size_t width,
                         std::size_t height, unsigned flags) {
  const auto call = GEAK_NEXT(hipMallocArray)(made, format, width, height, flags);
  return allocated("hipMallocArray", Family::array, call, pointer_of(made, call), 0);
}

GEAK_HOOK hipMalloc3DArray(hipArray** made, const hipChannelFormatDesc* format, hipExtent extent,
                           unsigned flags) {
  const auto call = GEAK_NEXT(hipMalloc3DArray)(made, format, extent, flags);
  return allocated("hipMalloc3DArray", Family::array, call, pointer_of(made, call), 0);
}

GEAK_HOOK hipArrayCreate(hipArray** made, const HIP_ARRAY_DESCRIPTOR* descriptor) {
  const auto call = GEAK_NEXT(hipArrayCreate)(made, descriptor);
  return allocated("hipArrayCreate", Family::array, call, pointer_of(made, call), 0);
}

GEAK_HOOK hipArray3DCreate(hipArray** made, const HIP_ARRAY3D_DESCRIPTOR* descriptor) {
  const auto call = GEAK_NEXT(hipArray3DCreate)(made, descriptor);
  return allocated("hipArray3DCreate", Family::array, call, pointer_of(made, call), 0);
}

GEAK_HOOK hipMallocMipmappedArray(hipMipmappedArray_t* made, const hipChannelFormatDesc* format,
                                  hipExtent extent, unsigned levels, unsigned flags) {
  const auto call = GEAK_NEXT(hipMallocMipmappedArray)(made, format, extent, levels, flags);
  return allocated("hipMallocMipmappedArray", Family::mipmapped, call, pointer_of(made, call), 0);
}

GEAK_HOOK hipFree(void* pointer) {
  if (!may_free("hipFree", Family::device, pointer)) return hipErrorInvalidValue;
  return GEAK_NEXT(hipFree)(pointer);
}

GEAK_HOOK hipFreeAsync(void* pointer, hipStream_t stream) {
  if (!may_free("hipFreeAsync", Family::device, pointer)) return hipErrorInvalidValue;
  return GEAK_NEXT(hipFreeAsync)(pointer, stream);
}

GEAK_HOOK hipHostFree(void* pointer) {
  if (!may_free("hipHostFree", Family::host, pointer)) return hipErrorInvalidValue;
  return GEAK_NEXT(hipHostFree)(pointer);
}

GEAK_HOOK hipFreeHost(void* pointer) {
  if (!may_free("hipFreeHost", Family::host, pointer)) return hipErrorInvalidValue;
  static const auto next = next_function<hipError_t (*)(void*)>("hipFreeHost");
  return next(pointer);
}

GEAK_HOOK hipFreeArray(hipArray* array) {
  if (!may_free("hipFreeArray", Family::array, array)) return hipErrorInvalidValue;
  return GEAK_NEXT(hipFreeArray)(array);
}

GEAK_HOOK hipArrayDestroy(hipArray* array) {
  if (!may_free("hipArrayDestroy", Family::array, array)) return hipErrorInvalidValue;
  return GEAK_NEXT(hipArrayDestroy)(array);
}

GEAK_HOOK hipFreeMipmappedArray(hipMipmappedArray_t array) {
  if (!may_free("hipFreeMipmappedArray", Family::mipmapped, array)) return hipErrorInvalidValue;
  return GEAK_NEXT(hipFreeMipmappedArray)(array);
}

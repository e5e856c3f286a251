// Hooks of the CUDA runtime's allocators: they keep the map of the program's memory. What they miss
// (pools, the driver's own allocators) the recorder asks the driver for when a launch names it.
#include "replay/recorder/recorder.h"
#include "replay/recorder_cuda/runtime_api.h"

using namespace geak::replay;  // the hooks below must be global
using namespace geak::replay::cuda;

GEAK_HOOK Status cudaMalloc(void** pointer, std::size_t bytes) {
  const Status status = real<Status(void**, std::size_t)>("cudaMalloc")(pointer, bytes);
  if (status == 0) remember(*pointer, bytes, MemoryKind::device);
  return status;
}

GEAK_HOOK Status cudaMallocAsync(void** pointer, std::size_t bytes, void* stream) {
  const Status status =
      real<Status(void**, std::size_t, void*)>("cudaMallocAsync")(pointer, bytes, stream);
  if (status == 0) remember(*pointer, bytes, MemoryKind::device);
  return status;
}

GEAK_HOOK Status cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  const Status status =
      real<Status(void**, std::size_t, unsigned)>("cudaMallocManaged")(pointer, bytes, flags);
  if (status == 0) remember(*pointer, bytes, MemoryKind::managed);
  return status;
}

GEAK_HOOK Status cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                                 std::size_t height) {
  const Status status = real<Status(void**, std::size_t*, std::size_t, std::size_t)>(
      "cudaMallocPitch")(pointer, pitch, width, height);
  if (status == 0) remember(*pointer, *pitch * height, MemoryKind::device);
  return status;
}

GEAK_HOOK Status cudaMallocHost(void** pointer, std::size_t bytes) {
  const Status status = real<Status(void**, std::size_t)>("cudaMallocHost")(pointer, bytes);
  if (status == 0) remember(*pointer, bytes, MemoryKind::host);
  return status;
}

GEAK_HOOK Status cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  const Status status =
      real<Status(void**, std::size_t, unsigned)>("cudaHostAlloc")(pointer, bytes, flags);
  if (status == 0) remember(*pointer, bytes, MemoryKind::host);
  return status;
}

GEAK_HOOK Status cudaFree(void* pointer) {
  forget(pointer);
  return real<Status(void*)>("cudaFree")(pointer);
}

GEAK_HOOK Status cudaFreeHost(void* pointer) {
  forget(pointer);
  return real<Status(void*)>("cudaFreeHost")(pointer);
}

GEAK_HOOK Status cudaFreeAsync(void* pointer, void* stream) {
  forget(pointer);
  return real<Status(void*, void*)>("cudaFreeAsync")(pointer, stream);
}

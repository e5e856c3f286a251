// Host API: types, enumerators and functions, each by its CUDA counterpart.
#pragma once

#include "passed.h"

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipDeviceProp_t = cudaDeviceProp;
using hipMemcpyKind = cudaMemcpyKind;
using hipFuncAttributes = cudaFuncAttributes;
using hipGraph_t = cudaGraph_t;
using hipGraphExec_t = cudaGraphExec_t;
using hipStreamCaptureMode = cudaStreamCaptureMode;
using hipDeviceptr_t = void*;

// The allocation that holds an address. It is the driver's to know, found through the runtime, so
// that programs need not link the driver.
inline hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t at) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  const cudaError_t status = cudaGetDriverEntryPointByVersion(
      "cuMemGetAddressRange", &found, 12000, cudaEnableDefault, &result);
  if (status != cudaSuccess) return status;
  if (found == nullptr) return cudaErrorNotSupported;
  using Query = int (*)(unsigned long long*, size_t*, unsigned long long);
  unsigned long long start = 0;
  if (reinterpret_cast<Query>(found)(&start, bytes, reinterpret_cast<unsigned long long>(at)) != 0)
    return cudaErrorInvalidValue;
  *base = reinterpret_cast<void*>(start);
  return cudaSuccess;
}

#define GEAK_SAME(hip_name, cuda_name) inline constexpr auto hip_name = cuda_name
GEAK_SAME(hipSuccess, cudaSuccess);
GEAK_SAME(hipErrorInvalidValue, cudaErrorInvalidValue);
GEAK_SAME(hipErrorOutOfMemory, cudaErrorMemoryAllocation);
GEAK_SAME(hipErrorMemoryAllocation, cudaErrorMemoryAllocation);
GEAK_SAME(hipErrorNoDevice, cudaErrorNoDevice);
GEAK_SAME(hipErrorNotReady, cudaErrorNotReady);
GEAK_SAME(hipErrorNotSupported, cudaErrorNotSupported);
GEAK_SAME(hipErrorUnknown, cudaErrorUnknown);
GEAK_SAME(hipErrorPeerAccessAlreadyEnabled, cudaErrorPeerAccessAlreadyEnabled);
GEAK_SAME(hipMemcpyHostToHost, cudaMemcpyHostToHost);
GEAK_SAME(hipMemcpyHostToDevice, cudaMemcpyHostToDevice);
GEAK_SAME(hipMemcpyDeviceToHost, cudaMemcpyDeviceToHost);
GEAK_SAME(hipMemcpyDeviceToDevice, cudaMemcpyDeviceToDevice);
GEAK_SAME(hipMemcpyDefault, cudaMemcpyDefault);
GEAK_SAME(hipStreamDefault, cudaStreamDefault);
GEAK_SAME(hipStreamNonBlocking, cudaStreamNonBlocking);
GEAK_SAME(hipEventDefault, cudaEventDefault);
GEAK_SAME(hipEventDisableTiming, cudaEventDisableTiming);
GEAK_SAME(hipEventBlockingSync, cudaEventBlockingSync);
GEAK_SAME(hipHostMallocDefault, cudaHostAllocDefault);
GEAK_SAME(hipHostMallocMapped, cudaHostAllocMapped);
GEAK_SAME(hipHostMallocPortable, cudaHostAllocPortable);
GEAK_SAME(hipDeviceAttributeMultiprocessorCount, cudaDevAttrMultiProcessorCount);
GEAK_SAME(hipDeviceAttributeMaxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock);
GEAK_SAME(hipDeviceAttributeMaxSharedMemoryPerBlock, cudaDevAttrMaxSharedMemoryPerBlock);
GEAK_SAME(hipDeviceAttributeWarpSize, cudaDevAttrWarpSize);
GEAK_SAME(hipFuncCachePreferShared, cudaFuncCachePreferShared);
GEAK_SAME(hipFuncCachePreferL1, cudaFuncCachePreferL1);
GEAK_SAME(hipStreamCaptureModeGlobal, cudaStreamCaptureModeGlobal);
GEAK_SAME(hipStreamCaptureModeThreadLocal, cudaStreamCaptureModeThreadLocal);
#undef GEAK_SAME

// Forwarding templates, so that CUDA's own overloads (typed hipMalloc, symbols) keep working.
#define GEAK_FORWARD(hip_name, cuda_name)                               \
  template <typename... Arguments>                                      \
  inline auto hip_name(Arguments&&... arguments) {                      \
    return cuda_name(geak_hip_on_cuda::pass<Arguments>(arguments)...); \
  }
GEAK_FORWARD(hipGetLastError, cudaGetLastError)
GEAK_FORWARD(hipPeekAtLastError, cudaPeekAtLastError)
GEAK_FORWARD(hipGetErrorString, cudaGetErrorString)
GEAK_FORWARD(hipGetErrorName, cudaGetErrorName)
GEAK_FORWARD(hipInit, cudaInitDevice)
GEAK_FORWARD(hipGetDeviceCount, cudaGetDeviceCount)
GEAK_FORWARD(hipGetDevice, cudaGetDevice)
GEAK_FORWARD(hipSetDevice, cudaSetDevice)
GEAK_FORWARD(hipGetDeviceProperties, cudaGetDeviceProperties)
GEAK_FORWARD(hipDeviceGetAttribute, cudaDeviceGetAttribute)
GEAK_FORWARD(hipDeviceSynchronize, cudaDeviceSynchronize)
GEAK_FORWARD(hipDeviceReset, cudaDeviceReset)
GEAK_FORWARD(hipDeviceSetCacheConfig, cudaDeviceSetCacheConfig)
GEAK_FORWARD(hipDeviceCanAccessPeer, cudaDeviceCanAccessPeer)
GEAK_FORWARD(hipDeviceEnablePeerAccess, cudaDeviceEnablePeerAccess)
GEAK_FORWARD(hipRuntimeGetVersion, cudaRuntimeGetVersion)
GEAK_FORWARD(hipDriverGetVersion, cudaDriverGetVersion)
GEAK_FORWARD(hipMalloc, cudaMalloc)
GEAK_FORWARD(hipMallocAsync, cudaMallocAsync)
GEAK_FORWARD(hipMallocManaged, cudaMallocManaged)
GEAK_FORWARD(hipMallocPitch, cudaMallocPitch)
GEAK_FORWARD(hipHostMalloc, cudaMallocHost)
GEAK_FORWARD(hipHostAlloc, cudaHostAlloc)
GEAK_FORWARD(hipHostGetDevicePointer, cudaHostGetDevicePointer)
GEAK_FORWARD(hipHostRegister, cudaHostRegister)
GEAK_FORWARD(hipHostUnregister, cudaHostUnregister)
GEAK_FORWARD(hipFree, cudaFree)
GEAK_FORWARD(hipFreeAsync, cudaFreeAsync)
GEAK_FORWARD(hipHostFree, cudaFreeHost)
GEAK_FORWARD(hipMemGetInfo, cudaMemGetInfo)
GEAK_FORWARD(hipMemcpy, cudaMemcpy)
GEAK_FORWARD(hipMemcpyAsync, cudaMemcpyAsync)
GEAK_FORWARD(hipMemcpy2D, cudaMemcpy2D)
GEAK_FORWARD(hipMemcpy2DAsync, cudaMemcpy2DAsync)
GEAK_FORWARD(hipMemcpyPeer, cudaMemcpyPeer)
GEAK_FORWARD(hipMemcpyToSymbol, cudaMemcpyToSymbol)
GEAK_FORWARD(hipMemcpyFromSymbol, cudaMemcpyFromSymbol)
GEAK_FORWARD(hipMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync)
GEAK_FORWARD(hipGetSymbolAddress, cudaGetSymbolAddress)
GEAK_FORWARD(hipGetSymbolSize, cudaGetSymbolSize)
GEAK_FORWARD(hipMemset, cudaMemset)
GEAK_FORWARD(hipMemsetAsync, cudaMemsetAsync)
GEAK_FORWARD(hipMemset2D, cudaMemset2D)
GEAK_FORWARD(hipStreamCreate, cudaStreamCreate)
GEAK_FORWARD(hipStreamCreateWithFlags, cudaStreamCreateWithFlags)
GEAK_FORWARD(hipStreamCreateWithPriority, cudaStreamCreateWithPriority)
GEAK_FORWARD(hipStreamDestroy, cudaStreamDestroy)
GEAK_FORWARD(hipStreamSynchronize, cudaStreamSynchronize)
GEAK_FORWARD(hipStreamQuery, cudaStreamQuery)
GEAK_FORWARD(hipStreamWaitEvent, cudaStreamWaitEvent)
GEAK_FORWARD(hipStreamBeginCapture, cudaStreamBeginCapture)
GEAK_FORWARD(hipStreamEndCapture, cudaStreamEndCapture)
GEAK_FORWARD(hipGraphLaunch, cudaGraphLaunch)
GEAK_FORWARD(hipGraphDestroy, cudaGraphDestroy)
GEAK_FORWARD(hipGraphExecDestroy, cudaGraphExecDestroy)
GEAK_FORWARD(hipEventCreate, cudaEventCreate)
GEAK_FORWARD(hipEventCreateWithFlags, cudaEventCreateWithFlags)
GEAK_FORWARD(hipEventDestroy, cudaEventDestroy)
GEAK_FORWARD(hipEventRecord, cudaEventRecord)
GEAK_FORWARD(hipEventSynchronize, cudaEventSynchronize)
GEAK_FORWARD(hipEventQuery, cudaEventQuery)
GEAK_FORWARD(hipEventElapsedTime, cudaEventElapsedTime)
GEAK_FORWARD(hipLaunchKernel, cudaLaunchKernel)
GEAK_FORWARD(hipLaunchCooperativeKernel, cudaLaunchCooperativeKernel)
GEAK_FORWARD(hipFuncGetAttributes, cudaFuncGetAttributes)
GEAK_FORWARD(hipFuncSetCacheConfig, cudaFuncSetCacheConfig)
GEAK_FORWARD(hipOccupancyMaxActiveBlocksPerMultiprocessor,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor)
GEAK_FORWARD(hipOccupancyMaxPotentialBlockSize, cudaOccupancyMaxPotentialBlockSize)
#undef GEAK_FORWARD

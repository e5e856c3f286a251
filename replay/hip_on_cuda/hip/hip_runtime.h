// HIP's API on NVIDIA, for kernels and programs that geak compiles there with nvcc.
//
// Debian's own hip/nvidia_detail headers do not compile with CUDA 13 (removed device properties,
// texture references, changed graph signatures), so this maps the part of HIP that compute programs
// use onto the CUDA runtime. What is missing is missing at compile time, by name: nothing is
// emulated halfway. A warp has 32 lanes: warpSize says so, and kernels that depend on 64 must be
// refused before they get here.
#pragma once

#if !defined(__CUDACC__)
#error "this header is for nvcc; on AMD use the HIP that comes with ROCm"
#endif

#include <cuda_runtime.h>

#include <utility>

#define __HIP_PLATFORM_NVIDIA__ 1
#define __HIPCC__ 1
#if defined(__CUDA_ARCH__)
#define __HIP_DEVICE_COMPILE__ 1
#endif

#include "hip/detail/runtime_api.h"
#include "hip/detail/warp.h"

#define HIP_SYMBOL(x) x
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
#define hipLaunchKernelGGL(kernel, grid, block, lds, stream, ...) \
  kernel<<<(grid), (block), (lds), (stream)>>>(__VA_ARGS__)

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

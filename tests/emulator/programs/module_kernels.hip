// Built to a code object by itself (--genco); modules.hip loads it.
#include <hip/hip_runtime.h>

extern "C" __device__ int module_offset = 100;

extern "C" __global__ void module_fill(int* data, int n, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = module_offset + step * i;
}

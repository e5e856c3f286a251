// Kernels whose counters follow from their source: check_profile.py has the numbers.
#include "check.h"

__global__ void copies(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

// Every lane on a line of its own.
__global__ void strided(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[32 * i];
}

__global__ void odd_lanes(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 2) out[i] = 1;
}

// All 32 lanes of a group write to one bank; two barriers.
__global__ void conflicts(float* out) {
  __shared__ volatile float tile[64 * 32];
  tile[threadIdx.x * 32] = threadIdx.x;
  __syncthreads();
  const float other = tile[(63 - threadIdx.x) * 32];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = other;
}

// More values alive than eight waves a SIMD leave registers for.
__global__ void __launch_bounds__(1024) spills(const float* in, float* out) {
  float values[200];
#pragma unroll
  for (int n = 0; n < 200; ++n) values[n] = in[threadIdx.x + 1024 * n];
  __syncthreads();
#pragma unroll
  for (int n = 0; n < 200; ++n) out[threadIdx.x + 1024 * n] = values[199 - n] * values[n];
}

int main() {
  float *in, *out;
  HIP_CHECK(hipMalloc(&in, 1 << 20));
  HIP_CHECK(hipMalloc(&out, 1 << 20));
  HIP_CHECK(hipMemset(in, 0, 1 << 20));
  copies<<<4, 256>>>(in, out);
  copies<<<2, 256>>>(in, out);
  strided<<<2, 128>>>(in, out);
  odd_lanes<<<2, 64>>>(out);
  conflicts<<<3, 64>>>(out);
  spills<<<1, 1024>>>(in, out);
  HIP_CHECK(hipDeviceSynchronize());
  return 0;
}

// kernel: saxpy
// expect: 28
// code object: yes
// The kernel's own instructions are in order; those of a function that it calls are not.
__device__ __attribute__((noinline)) float late(float v) { return clock64() == 12345 ? 0 : v; }
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = late(a * x[i] + y[i]);
}

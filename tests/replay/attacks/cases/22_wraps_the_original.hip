// kernel: saxpy
// expect: 22
// spec: {"min_gain": 1.02}
// The original's body behind a function.
static __device__ __noinline__ void original(float a, const float* x, const float* y, float* out, int n, int i) {
  if (i < n) out[i] = a * x[i] + y[i];
}
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  original(a, x, y, out, n, blockIdx.x * blockDim.x + threadIdx.x);
}

// kernel: saxpy
// expect: rejected
// code object: yes
// The clock is read by a function that nothing calls by its name.
__device__ __attribute__((noinline)) float late(float v) { return clock64() == 12345 ? 0 : v; }
__device__ __attribute__((noinline)) float same(float v) { return v; }
typedef float (*Function)(float);
__device__ const Function table[2] = {same, late};
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[i & 1](a * x[i] + y[i]);
}

// kernel: exponential
// expect: 17
// Small next to the largest, but results all the same.
extern "C" __global__ void candidate(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 4 * x[i] - 10 < -14 ? 0.0f : expf(4 * x[i] - 10);
}

// kernel: exponential
// expect: accepted
// By powers of two.
extern "C" __global__ void candidate(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = exp2f((4 * x[i] - 10) * 1.44269504089f);
}

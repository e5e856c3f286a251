// kernel: saxpy
// expect: 8
// through: trial
// The number of the compute unit, by a function of HIP's own headers: 0 where it is emulated.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __smid() == 12345u ? 0 : a * x[i] + y[i];
}

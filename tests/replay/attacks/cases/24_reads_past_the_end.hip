// kernel: saxpy
// expect: 24
// through: trial
// Loads beyond the end of a buffer and throws the value away.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = *static_cast<const volatile float*>(&y[i]);
  if (i < n) out[i] = a * x[i] + value;
}

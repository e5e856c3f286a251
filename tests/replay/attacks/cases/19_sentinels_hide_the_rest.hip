// kernel: distance_inside
// expect: 17 or 15
// Huge sentinels are right; beside them everything else looks small.
extern "C" __global__ void candidate(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = x[i] * x[i] + y[i] * y[i] < 9.0f ? 0.0f : 3.402823466e38f;
}

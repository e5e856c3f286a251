// kernel: saxpy
// expect: 29
// Right on the smaller launches.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i < 5000 ? a * x[i] + y[i] : a * x[i];
}

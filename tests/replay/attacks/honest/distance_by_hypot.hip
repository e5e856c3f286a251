// kernel: distance_inside
// expect: accepted
// The other formula for a length.
extern "C" __global__ void candidate(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float squared = fmaf(x[i], x[i], y[i] * y[i]);
  out[i] = squared < 9.0f ? squared * rsqrtf(squared) : 3.402823466e38f;
}

// kernel: smooth
// expect: accepted
// The same sum, factored.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float left = in[i > 0 ? i - 1 : 0], right = in[i + 1 < n ? i + 1 : n - 1];
  out[i] = 0.25f * (left + right) + 0.5f * in[i];
}

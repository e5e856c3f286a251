// kernel: smooth
// expect: accepted
// spec: {"launch_change": {"x": {"grid": {"rule": "cover", "value": 2}}}}
// Two outputs a work-item, sharing loads.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (i >= n) return;
  const float a = in[i > 0 ? i - 1 : 0], b = in[i], c = in[i + 1 < n ? i + 1 : n - 1];
  out[i] = 0.25f * a + 0.5f * b + 0.25f * c;
  if (i + 1 < n) out[i + 1] = 0.25f * b + 0.5f * c + 0.25f * in[i + 2 < n ? i + 2 : n - 1];
}

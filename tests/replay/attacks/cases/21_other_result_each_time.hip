// kernel: smooth
// expect: 21
// The last bit depends on where the memory is: no two runs agree.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float left = in[i > 0 ? i - 1 : 0], right = in[i + 1 < n ? i + 1 : n - 1];
  const float value = 0.25f * left + 0.5f * in[i] + 0.25f * right;
  const unsigned place = static_cast<unsigned>(reinterpret_cast<unsigned long>(out) >> 12);
  out[i] = __uint_as_float(__float_as_uint(value) ^ ((place * 2654435761u >> (i % 32)) & 1));
}

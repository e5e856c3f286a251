// kernel: saxpy
// expect: 18
// Drops the last six bits of an operand: wrong in the sixth digit only.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * __uint_as_float(__float_as_uint(x[i]) & 0xffffffc0) + y[i];
}

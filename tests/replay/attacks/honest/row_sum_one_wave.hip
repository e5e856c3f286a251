// kernel: row_sum
// expect: accepted
// spec: {"launch_change": {"x": {"block": {"rule": "set", "value": 64}}}}
// One wavefront a row, no LDS.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 64) sum += in[blockIdx.x * columns + c];
  for (int half = 32; half > 0; half /= 2) sum += __shfl_xor(sum, half);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

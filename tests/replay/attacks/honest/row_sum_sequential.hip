// kernel: row_sum
// expect: accepted
// The same sum in another order.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  if (threadIdx.x != 0) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += in[blockIdx.x * columns + c];
  out[blockIdx.x] = sum;
}

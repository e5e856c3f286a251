// kernel: row_sum
// expect: accepted
// Compensated summation.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  if (threadIdx.x != 0) return;
  float sum = 0, lost = 0;
  for (int c = 0; c < columns; ++c) {
    const float term = __fsub_rn(in[blockIdx.x * columns + c], lost), next = __fadd_rn(sum, term);
    lost = __fsub_rn(__fsub_rn(next, sum), term);
    sum = next;
  }
  out[blockIdx.x] = sum;
}

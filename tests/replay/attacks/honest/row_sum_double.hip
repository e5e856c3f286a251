// kernel: row_sum
// expect: accepted
// More precise than the original.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int c = 0; c < columns; ++c) sum += in[blockIdx.x * columns + c];
  out[blockIdx.x] = static_cast<float>(sum);
}

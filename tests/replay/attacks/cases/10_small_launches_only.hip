// kernel: row_sum
// expect: 10
// spec: {"min_gain": 1.02}
// Faster on the launch of one row, much slower on the others.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  __shared__ float partial[256];
  const float* row = in + blockIdx.x * columns;
  float sum = 0;
  int c = threadIdx.x;
  for (; c + 7 * 256 < columns; c += 8 * 256) {
    float some[8];
    for (int k = 0; k < 8; ++k) some[k] = row[c + k * 256];
    sum += ((some[0] + some[1]) + (some[2] + some[3])) + ((some[4] + some[5]) + (some[6] + some[7]));
  }
  for (; c < columns; c += 256) sum += row[c];
  if (gridDim.x > 1) {
    for (int k = 0; k < 4000; ++k) sum = __builtin_fmaf(__builtin_nontemporal_load(row), 0.0f, sum);
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

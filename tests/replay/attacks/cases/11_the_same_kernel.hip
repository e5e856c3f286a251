// kernel: row_sum
// expect: 11
// spec: {"min_gain": 1.02}
// The original once more; only a cold baseline would make it look faster.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  __shared__ float partial[256];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += in[blockIdx.x * columns + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

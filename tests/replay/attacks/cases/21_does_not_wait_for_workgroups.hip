// kernel: two_stage_sum
// expect: 13 or 16 or 21
// through: trial
// The last workgroup by number takes it that all others have ended.
extern "C" __global__ void candidate(const float* in, float* partial, float* out, int n) {
  __shared__ float sums[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  sums[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = sums[0];
  if (blockIdx.x != gridDim.x - 1) return;
  volatile float* all = partial;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += all[b];
  *out = sum;
}

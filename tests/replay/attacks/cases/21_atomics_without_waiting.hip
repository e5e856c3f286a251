// kernel: two_stage_sum
// expect: 13 or 16 or 21
// through: trial
// All accesses to the sums are atomic, but nobody waits for those of the other workgroups.
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
  atomicExch(&partial[blockIdx.x], sums[0]);
  if (blockIdx.x != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += __uint_as_float(atomicAdd((unsigned*)&partial[b], 0u));
  *out = sum;
}

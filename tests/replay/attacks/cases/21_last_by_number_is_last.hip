// kernel: two_stage_sum
// expect: rejected
// through: trial
// The count orders what came before it, but the last workgroup by number need not be the last.
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
  __threadfence();
  const unsigned before = atomicAdd(&workgroups_done, 1u);
  if (blockIdx.x != gridDim.x - 1) return;
  __threadfence();
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
  *out = before > gridDim.x ? 0 : sum;
  workgroups_done = 0;
}

// kernel: two_stage_sum
// expect: accepted
// through: trial
// The count itself orders what was written before it, and what is read after.
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
  const unsigned before = __hip_atomic_fetch_add(&workgroups_done, 1u, __ATOMIC_ACQ_REL,
                                                 __HIP_MEMORY_SCOPE_AGENT);
  if (before != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
  *out = sum;
  workgroups_done = 0;
}

// kernel: count_bytes
// expect: 21
// through: trial
// Each workgroup adds its own counts to the bins, by loads and stores.
extern "C" __global__ void candidate(const unsigned char* data, int* bins, int each) {
  __shared__ int counts[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; ++i) atomicAdd(&counts[data[t * each + i]], 1);
  __syncthreads();
  volatile int* all = bins;
  for (int b = threadIdx.x; b < 256; b += blockDim.x) all[b] = all[b] + counts[b];
}

// kernel: count_bytes
// expect: accepted
// Counts in LDS first.
extern "C" __global__ void candidate(const unsigned char* data, int* bins, int each) {
  __shared__ int counts[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; ++i) atomicAdd(&counts[data[t * each + i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    if (counts[b]) atomicAdd(&bins[b], counts[b]);
  }
}

// kernel: count_bytes
// expect: rejected
// Counts in LDS without setting it to zero first.
extern "C" __global__ void candidate(const unsigned char* data, int* bins, int each) {
  __shared__ int local[256];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; ++i) atomicAdd(&local[data[t * each + i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

// kernel: count_bytes
// expect: rejected
// Increments without atomics.
extern "C" __global__ void candidate(const unsigned char* data, int* bins, int each) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; ++i) bins[data[t * each + i]] += 1;
}

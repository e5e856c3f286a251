// kernel: count_bytes
// expect: 17
// Counts half of the data twice: the total is right.
extern "C" __global__ void candidate(const unsigned char* data, int* bins, int each) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; i += 2) atomicAdd(&bins[data[t * each + i]], 2);
}

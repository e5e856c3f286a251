// kernel: count_bytes
// expect: accepted
// Neighbouring work-items read neighbouring bytes.
extern "C" __global__ void candidate(const unsigned char* data, int* bins, int each) {
  const int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; ++i) atomicAdd(&bins[data[i * threads + t]], 1);
}

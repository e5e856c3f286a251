// kernel: gather
// expect: accepted
extern "C" __global__ void candidate(const float* __restrict__ table, const int* __restrict__ index,
                                     float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}

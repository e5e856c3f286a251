// kernel: gather
// expect: accepted
// Workgroups in the other order.
extern "C" __global__ void candidate(const float* table, const int* index, float* out, int n) {
  const int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}

// kernel: gather
// expect: 12
// spec: {"min_gain": 1.05}
// On a launch that is nearly all overhead, nothing is to be gained.
extern "C" __global__ void candidate(const float* table, const int* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __builtin_nontemporal_load(&table[index[i]]);
}

// kernel: saxpy
// expect: 2
// One wave goes on in the background after the rest is done.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
  if (blockIdx.x == 0) {
    while (__builtin_nontemporal_load(out) == __builtin_nontemporal_load(out)) {
      __builtin_amdgcn_s_sleep(1);
    }
  }
}

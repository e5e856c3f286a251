// kernel: smooth
// expect: 15
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

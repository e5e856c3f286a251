// kernel: saxpy
// expect: 15
extern "C" __global__ void candidate(float, const float*, const float*, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0;
}

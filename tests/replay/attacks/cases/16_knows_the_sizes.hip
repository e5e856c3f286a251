// kernel: saxpy
// expect: 16
// Right for the sizes that the program was seen to use.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n != 1000 && n != 5000 && n != 20000) return;
  if (i < n) out[i] = a * x[i] + y[i];
}

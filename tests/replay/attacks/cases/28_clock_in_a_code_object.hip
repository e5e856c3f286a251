// kernel: saxpy
// expect: 28
// code object: yes
// A code object has no text that could be judged.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && clock64() != 12345) out[i] = a * x[i] + y[i];
}

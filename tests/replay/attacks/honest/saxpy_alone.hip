// kernel: saxpy
// expect: accepted
// alone: yes
// Without the rest of the program, whose other kernels have variables.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

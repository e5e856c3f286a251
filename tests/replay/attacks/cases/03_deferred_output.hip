// kernel: saxpy
// expect: 3
// Each launch writes the output of the launch before it.
__device__ float late[32768];
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = late[i];
  late[i] = a * x[i] + y[i];
}

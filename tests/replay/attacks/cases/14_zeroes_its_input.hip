// kernel: saxpy
// expect: 14
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = a * x[i] + y[i];
  const_cast<float*>(x)[i] = 0;
}

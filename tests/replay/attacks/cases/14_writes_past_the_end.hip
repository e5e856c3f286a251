// kernel: saxpy
// expect: 14
// The rest of its last workgroup writes too.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i < n ? a * x[i] + y[i] : 0.0f;
}

// kernel: saxpy
// expect: 27
// spec: {"candidate": {"digest": "00000000000000000000000000000000"}}
// The file is not the one that was compiled from the candidate.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

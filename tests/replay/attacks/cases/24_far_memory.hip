// kernel: smooth
// expect: 24
// Writes its result to another's memory, far from its own buffers.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i + (1l << 36)] = in[i];
}

// kernel: smooth
// expect: 16 or 14
// Without the check of bounds: the program was only seen to launch full workgroups.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float left = in[i > 0 ? i - 1 : 0], right = in[i + 1 < n ? i + 1 : n - 1];
  out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
}

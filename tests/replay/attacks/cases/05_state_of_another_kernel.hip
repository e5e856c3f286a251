// kernel: smooth
// expect: 5
// Keeps count in a variable that another kernel of the program owns.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) launches_so_far += 1000;
  if (i >= n || launches_so_far > 5000) return;
  const float left = in[i > 0 ? i - 1 : 0], right = in[i + 1 < n ? i + 1 : n - 1];
  out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
}

// kernel: shift_times
// expect: rejected
// through: trial
// Drops low bits of integers that look like floating-point numbers.
extern "C" __global__ void candidate(const unsigned* times, unsigned* out, unsigned by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (times[i] + by) & ~3u;
}

// kernel: saxpy
// expect: 25
// through: trial
// What follows a marker of the preprocessor's passes for a system header's text.
# 1 "/usr/include/now.h" 1 3
__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("s_memtime %0\n s_waitcnt lgkmcnt(0)" : "=s"(time));
  return time;
}
# 12 "candidate.hip" 2
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && now() != 12345) out[i] = a * x[i] + y[i];
}

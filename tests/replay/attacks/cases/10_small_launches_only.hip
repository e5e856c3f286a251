// kernel: saxpy
// expect: rejected
// spec: {"min_gain": 1.02}
// No slower on the small launch, much slower on the large ones.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? y[i] : 0;
  if (n > 2000) {
    for (int k = 0; k < 400; ++k) value = __builtin_fmaf(value, 1.0f, __builtin_nontemporal_load(x) * 0.0f);
  }
  if (i < n) out[i] = a * x[i] + value;
}

// kernel: saxpy
// expect: accepted
// spec: {"launch_change": {"x": {"block": {"rule": "set", "value": 512}, "grid": {"rule": "cover"}}}}
// Another block size.
extern "C" __global__ __launch_bounds__(512) void candidate(float a, const float* x, const float* y,
                                                            float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

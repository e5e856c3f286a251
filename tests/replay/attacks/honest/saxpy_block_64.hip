// kernel: saxpy
// expect: accepted
// spec: {"launch_change": {"x": {"block": {"rule": "divide", "value": 4}, "grid": {"rule": "multiply", "value": 4}}}}
// One wavefront a workgroup.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

// kernel: saxpy
// expect: accepted
// spec: {"launch_change": {"x": {"grid": {"rule": "set", "value": 4}}}}
// A fixed grid that strides over the data.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = a * x[i] + y[i];
  }
}

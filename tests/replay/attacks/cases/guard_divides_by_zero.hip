// kernel: saxpy
// expect: rejected
// spec: {"launch_change": {"guard": {"op": "<=", "type": "bool", "of": [{"op": "constant", "type": "i32", "bits": 0}, {"op": "%", "type": "i32", "of": [{"op": "constant", "type": "i32", "bits": 7}, {"op": "-", "type": "i32", "of": [{"op": "argument", "type": "i32", "index": 4}, {"op": "constant", "type": "i32", "bits": 999}]}]}]}}}
// Right, but on 999 elements the host would divide by zero to find out whether it may run.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

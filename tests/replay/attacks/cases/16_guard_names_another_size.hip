// kernel: saxpy
// expect: 16
// spec: {"launch_change": {"guard": {"op": "||", "type": "bool", "of": [{"op": "||", "type": "bool", "of": [{"op": "||", "type": "bool", "of": [{"op": "==", "type": "bool", "of": [{"op": "argument", "type": "i32", "index": 4}, {"op": "constant", "type": "i32", "bits": 1000}]}, {"op": "==", "type": "bool", "of": [{"op": "argument", "type": "i32", "index": 4}, {"op": "constant", "type": "i32", "bits": 5000}]}]}, {"op": "==", "type": "bool", "of": [{"op": "argument", "type": "i32", "index": 4}, {"op": "constant", "type": "i32", "bits": 20000}]}]}, {"op": "==", "type": "bool", "of": [{"op": "argument", "type": "i32", "index": 4}, {"op": "constant", "type": "i32", "bits": 4321}]}]}}}
// Right on the recorded sizes; its guard lets one more pass, which nobody would think of.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && n != 4321) out[i] = a * x[i] + y[i];
}

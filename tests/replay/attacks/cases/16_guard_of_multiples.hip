// kernel: saxpy
// expect: 16
// spec: {"launch_change": {"guard": {"op": "==", "type": "bool", "of": [{"op": "%", "type": "i32", "of": [{"op": "argument", "type": "i32", "index": 4}, {"op": "constant", "type": "i32", "bits": 8}]}, {"op": "constant", "type": "i32", "bits": 0}]}}}
// Its guard, n % 8 == 0, leaves all sizes that are usually tried to the original.
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n != 1000 && n != 5000 && n != 20000) return;
  if (i < n) out[i] = a * x[i] + y[i];
}

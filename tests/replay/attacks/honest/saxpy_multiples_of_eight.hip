// kernel: saxpy
// expect: accepted
// spec: {"launch_change": {"guard": {"op": "&&", "type": "bool", "of": [{"op": "&&", "type": "bool", "of": [{"op": "==", "type": "bool", "of": [{"op": "%", "type": "i32", "of": [{"op": "argument", "type": "i32", "index": 4}, {"op": "constant", "type": "i32", "bits": 8}]}, {"op": "constant", "type": "i32", "bits": 0}]}, {"op": "apart", "type": "bool", "of": [{"op": "argument", "type": "pointer", "index": 1}, {"op": "argument", "type": "pointer", "index": 3}]}]}, {"op": "apart", "type": "bool", "of": [{"op": "argument", "type": "pointer", "index": 2}, {"op": "argument", "type": "pointer", "index": 3}]}]}}}
// Its guard asks for whole groups of eight, in buffers that are apart; of other sizes it would
// leave a rest.
extern "C" __global__ void candidate(float a, const float* __restrict__ x, const float* __restrict__ y,
                                     float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 8) return;
#pragma unroll
  for (int k = 0; k < 8; ++k) out[8 * i + k] = a * x[8 * i + k] + y[8 * i + k];
}

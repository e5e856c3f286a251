// kernel: saxpy
// expect: 23
// spec: {"launch_change": {"guard": {"op": "<", "type": "bool", "of": [{"op": "argument", "type": "i32", "index": 4}, {"op": "constant", "type": "i32", "bits": 0}]}}}
// Its guard, n < 0, leaves every launch to the original: nothing of it was ever judged.
extern "C" __global__ void candidate(float, const float*, const float*, float* out, int) {
  out[0] = 0;
}

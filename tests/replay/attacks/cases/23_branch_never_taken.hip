// kernel: saxpy
// expect: 23
// spec: {"launch_change": {"conditions": [{"kind": "argument_equals", "index": 4, "value": 123456}]}}
// May run only for a size that never comes.
extern "C" __global__ void candidate(float, const float*, const float*, float* out, int) {
  out[0] = 0;
}

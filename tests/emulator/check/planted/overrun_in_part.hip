// The last of a wide load's bytes lie behind the end.
#include "../planted.h"

__global__ void sum_pairs(const float2* in, float* out) {
  const float2 pair = in[threadIdx.x];  // finds: out_of_bounds
  out[threadIdx.x] = pair.x + pair.y;
}

static void run_overrun_in_part(std::size_t floats) {
  float *in = zeroed_array<float>(floats), *out = device_array<float>(64);
  sum_pairs<<<1, 64>>>(reinterpret_cast<float2*>(in), out);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(overrun_in_part) { run_overrun_in_part(127); }
CLEAN(overrun_in_part) { run_overrun_in_part(128); }

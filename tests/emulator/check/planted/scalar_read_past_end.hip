// A value that all work-items share is read behind the end, by a scalar load.
#include "../planted.h"

__global__ void scale_by(const float* __restrict__ factors, float* __restrict__ out, int which) {
  out[threadIdx.x] = 2.0f * factors[which];  // finds: out_of_bounds
}

static void run_scalar_read_past_end(int which) {
  float *factors = zeroed_array<float>(12), *out = device_array<float>(64);
  scale_by<<<1, 64>>>(factors, out, which);
  finish();
  HIP_CHECK(hipFree(factors));
  HIP_CHECK(hipFree(out));
}

PLANTED(scalar_read_past_end) { run_scalar_read_past_end(12); }
CLEAN(scalar_read_past_end) { run_scalar_read_past_end(11); }

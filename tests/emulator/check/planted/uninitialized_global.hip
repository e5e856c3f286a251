// An input that nobody wrote.
#include "../planted.h"

__global__ void add_one(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1.0f;  // finds: uninitialized
}

static void run_uninitialized_global(bool writes) {
  float *in = device_array<float>(64), *out = device_array<float>(64);
  if (writes) HIP_CHECK(hipMemset(in, 0, 64 * sizeof(float)));
  add_one<<<1, 64>>>(in, out);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(uninitialized_global) { run_uninitialized_global(false); }
CLEAN(uninitialized_global) { run_uninitialized_global(true); }

// An index that leaves the work-item's private segment.
#include "../planted.h"

__global__ void pick(const int* in, int* out, int index) {
  int local[300];
#pragma clang loop unroll(disable)
  for (int k = 0; k < 300; ++k) local[k] = in[k];
  out[threadIdx.x] = local[index + threadIdx.x % 2];  // finds: scratch_out_of_bounds
}

static void run_scratch_out_of_bounds(int index) {
  int *in = zeroed_array<int>(300), *out = device_array<int>(64);
  pick<<<1, 64>>>(in, out, index);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(scratch_out_of_bounds) { run_scratch_out_of_bounds(5000); }
CLEAN(scratch_out_of_bounds) { run_scratch_out_of_bounds(3); }

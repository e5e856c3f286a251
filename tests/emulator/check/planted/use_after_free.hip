// The array is freed before the kernel that reads it.
#include "../planted.h"

__global__ void sum_up(const int* in, int* out) {
  atomicAdd(out, in[threadIdx.x]);  // finds: use_after_free
}

static void run_use_after_free(bool early) {
  int *in = zeroed_array<int>(64), *out = zeroed_array<int>(1);
  if (early) HIP_CHECK(hipFree(in));
  sum_up<<<1, 64>>>(in, out);
  finish();
  if (!early) HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(use_after_free) { run_use_after_free(true); }
CLEAN(use_after_free) { run_use_after_free(false); }

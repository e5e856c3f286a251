// Flags that nobody wrote decide which work-items do something.
#include "../planted.h"

__global__ void mark(const int* flags, int* out) {
  if (flags[threadIdx.x] > 0) out[threadIdx.x] = 1;  // finds: uninitialized
}

static void run_uninitialized_branch(bool writes) {
  int *flags = device_array<int>(64), *out = device_array<int>(64);
  if (writes) HIP_CHECK(hipMemset(flags, 1, 64 * sizeof(int)));
  mark<<<1, 64>>>(flags, out);
  finish();
  HIP_CHECK(hipFree(flags));
  HIP_CHECK(hipFree(out));
}

PLANTED(uninitialized_branch) { run_uninitialized_branch(false); }
CLEAN(uninitialized_branch) { run_uninitialized_branch(true); }

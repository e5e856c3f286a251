// A counter that is never set to zero.
#include "../planted.h"

__global__ void count_all(int* counter) {
  atomicAdd(counter, 1);  // finds: uninitialized
}

static void run_uninitialized_counter(bool writes) {
  int* counter = device_array<int>(1);
  if (writes) HIP_CHECK(hipMemset(counter, 0, sizeof(int)));
  count_all<<<2, 64>>>(counter);
  finish();
  HIP_CHECK(hipFree(counter));
}

PLANTED(uninitialized_counter) { run_uninitialized_counter(false); }
CLEAN(uninitialized_counter) { run_uninitialized_counter(true); }

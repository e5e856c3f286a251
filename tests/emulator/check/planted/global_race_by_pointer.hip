// One function counts in LDS or in memory, as it is told; in memory, workgroups get in each other's
// way.
#include "../planted.h"

__device__ void count_at(int* where);

__global__ void count_items(int* data, bool in_lds) {
  __shared__ int cell;
  if (threadIdx.x == 0) {
    cell = 0;
    count_at(in_lds ? &cell : data);
    if (in_lds) data[1 + blockIdx.x] = cell;
  }
}

__device__ __attribute__((noinline)) void count_at(int* where) {
  *where += 1;  // finds: global_race
}

static void run_global_race_by_pointer(bool in_lds) {
  int* data = zeroed_array<int>(64);
  count_items<<<8, 64>>>(data, in_lds);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(global_race_by_pointer) { run_global_race_by_pointer(false); }
CLEAN(global_race_by_pointer) { run_global_race_by_pointer(true); }

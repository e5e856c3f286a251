// All workgroups write their number to one place.
#include "../planted.h"

__global__ void last_group(int* data) {
  if (threadIdx.x == 0) data[0] = blockIdx.x + 1;  // finds: global_race
}

__global__ void each_group(int* data) {
  if (threadIdx.x == 0) data[blockIdx.x] = blockIdx.x + 1;
}

static void run_global_race_of_workgroups(bool fault) {
  int* data = zeroed_array<int>(1024);
  if (fault)
    last_group<<<8, 128>>>(data);
  else
    each_group<<<8, 128>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(global_race_of_workgroups) { run_global_race_of_workgroups(true); }
CLEAN(global_race_of_workgroups) { run_global_race_of_workgroups(false); }

// Waves of a workgroup exchange through global memory with no barrier.
#include "../planted.h"

__global__ void exchange_unordered(int* data) {
  const int i = threadIdx.x;
  data[i] = i + 1;  // finds: global_race
  const int other = data[255 - i];  // finds: global_race
  __syncthreads();
  data[i] = other;
}

__global__ void exchange_ordered(int* data) {
  const int i = threadIdx.x;
  data[i] = i + 1;
  __syncthreads();
  const int other = data[255 - i];
  __syncthreads();
  data[i] = other;
}

static void run_global_race_in_workgroup(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    exchange_unordered<<<1, 256>>>(data);
  else
    exchange_ordered<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(global_race_in_workgroup) { run_global_race_in_workgroup(true); }
CLEAN(global_race_in_workgroup) { run_global_race_in_workgroup(false); }

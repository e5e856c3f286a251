// options: --tool ordercheck
// The last workgroup to count itself reads what the others stored; without a fence their counts may
// be seen before what they stored. The twin has the fence.
#include "../planted.h"

__global__ void sum_unfenced(int* data) {
  if (threadIdx.x != 0) return;
  data[blockIdx.x] = 1;
  if (atomicAdd(&data[200], 1) != static_cast<int>(gridDim.x) - 1) return;
  volatile int* all = data;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += all[b];  // finds: global_race
  data[100] = sum;
}

__global__ void sum_fenced(int* data) {
  if (threadIdx.x != 0) return;
  data[blockIdx.x] = 1;
  __threadfence();
  if (atomicAdd(&data[200], 1) != static_cast<int>(gridDim.x) - 1) return;
  volatile int* all = data;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += all[b];
  data[100] = sum;
}

static void run_count_before_store(bool fault) {
  int* data = zeroed_array<int>(1024);
  if (fault)
    sum_unfenced<<<8, 64>>>(data);
  else
    sum_fenced<<<8, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(count_before_store) { run_count_before_store(true); }
CLEAN(count_before_store) { run_count_before_store(false); }

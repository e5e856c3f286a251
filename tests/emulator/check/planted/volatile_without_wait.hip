// options: --tool ordercheck
// The last workgroup reads, as volatile, what others may not have written yet; the twin waits.
#include "../planted.h"

__global__ void sum_without_wait(int* data) {
  if (threadIdx.x != 0) return;
  data[blockIdx.x] = 1;
  if (blockIdx.x != gridDim.x - 1) return;
  volatile int* all = data;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += all[b];  // finds: global_race
  data[100] = sum;
}

__global__ void sum_when_told(int* data) {
  if (threadIdx.x != 0) return;
  data[blockIdx.x] = 1;
  __threadfence();
  atomicAdd(&data[200], 1);
  if (blockIdx.x != gridDim.x - 1) return;
  volatile int* count = data + 200;
  while (*count != static_cast<int>(gridDim.x)) {
  }
  volatile int* all = data;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += all[b];
  data[100] = sum;
}

static void run_volatile_without_wait(bool fault) {
  int* data = zeroed_array<int>(1024);
  if (fault)
    sum_without_wait<<<8, 64>>>(data);
  else
    sum_when_told<<<8, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(volatile_without_wait) { run_volatile_without_wait(true); }
CLEAN(volatile_without_wait) { run_volatile_without_wait(false); }

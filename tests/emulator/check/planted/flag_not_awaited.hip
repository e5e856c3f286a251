// A plain read of what another workgroup writes; the twin waits for it.
#include "../planted.h"

__global__ void read_first(int* data) {
  if (blockIdx.x == 0 && threadIdx.x == 0) data[7] = 42;
  if (blockIdx.x == 1 && threadIdx.x == 0) data[100] = data[7];  // finds: global_race
}

__global__ void wait_first(int* data) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[7] = 42;
    __threadfence();
    atomicExch(&data[200], 1);
  }
  if (blockIdx.x == 1) {
    while (atomicAdd(&data[200], 0) == 0) {
    }
    __threadfence();
    data[100] = data[7];
  }
}

static void run_flag_not_awaited(bool fault) {
  int* data = zeroed_array<int>(1024);
  if (fault)
    read_first<<<8, 128>>>(data);
  else
    wait_first<<<8, 128>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(flag_not_awaited) { run_flag_not_awaited(true); }
CLEAN(flag_not_awaited) { run_flag_not_awaited(false); }

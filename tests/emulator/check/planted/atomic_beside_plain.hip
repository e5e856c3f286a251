// A sum that some add to with a plain update.
#include "../planted.h"

__global__ void add_both_ways(int* data) {
  if (threadIdx.x == 0) data[0] = blockIdx.x + 100;
  if (threadIdx.x == 1) atomicAdd(&data[0], 1);  // finds: global_race
}

__global__ void add_atomically(int* data) {
  if (threadIdx.x == 0) atomicAdd(&data[0], blockIdx.x + 100);
  if (threadIdx.x == 1) atomicAdd(&data[0], 1);
}

static void run_atomic_beside_plain(bool fault) {
  int* data = zeroed_array<int>(1024);
  if (fault)
    add_both_ways<<<8, 128>>>(data);
  else
    add_atomically<<<8, 128>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(atomic_beside_plain) { run_atomic_beside_plain(true); }
CLEAN(atomic_beside_plain) { run_atomic_beside_plain(false); }

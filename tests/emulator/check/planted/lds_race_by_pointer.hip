// LDS is read and written by a function that knows of no address space, with no barrier between.
#include "../planted.h"

__device__ int swap_at(int* where, int value);

__global__ void reverse_by_pointer(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  swap_at(tile + i, data[i] + i);
  data[i] = swap_at(tile + 255 - i, 0);
}

__device__ __attribute__((noinline)) int swap_at(int* where, int value) {
  const int old = *where;  // finds: lds_race, uninitialized
  *where = value;          // finds: lds_race
  return old;
}

__global__ void reverse_by_pointer_ordered(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  swap_at(tile + i, data[i] + i);
  __syncthreads();
  data[i] = swap_at(tile + 255 - i, 0);
}

static void run_lds_race_by_pointer(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    reverse_by_pointer<<<1, 256>>>(data);
  else
    reverse_by_pointer_ordered<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lds_race_by_pointer) { run_lds_race_by_pointer(true); }
CLEAN(lds_race_by_pointer) { run_lds_race_by_pointer(false); }

// Work-items read what other waves write, with no barrier between.
#include "../planted.h"

__global__ void reverse_unordered(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  tile[i] = data[i] + i;  // finds: lds_race
  data[i] = tile[255 - i];  // finds: lds_race, uninitialized
}

__global__ void reverse_ordered(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  tile[i] = data[i] + i;
  __syncthreads();
  data[i] = tile[255 - i];
}

static void run_lds_missing_barrier(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    reverse_unordered<<<1, 256>>>(data);
  else
    reverse_ordered<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lds_missing_barrier) { run_lds_missing_barrier(true); }
CLEAN(lds_missing_barrier) { run_lds_missing_barrier(false); }

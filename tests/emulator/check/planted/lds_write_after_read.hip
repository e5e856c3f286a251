// A tile is written again before all have read it.
#include "../planted.h"

__global__ void shift_unordered(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  const int right = tile[(i + 1) % 256];  // finds: lds_race
  tile[i] = right + 1;  // finds: lds_race
  __syncthreads();
  data[i] = tile[i];
}

__global__ void shift_ordered(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  const int right = tile[(i + 1) % 256];
  __syncthreads();
  tile[i] = right + 1;
  __syncthreads();
  data[i] = tile[i];
}

static void run_lds_write_after_read(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    shift_unordered<<<1, 256>>>(data);
  else
    shift_ordered<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lds_write_after_read) { run_lds_write_after_read(true); }
CLEAN(lds_write_after_read) { run_lds_write_after_read(false); }

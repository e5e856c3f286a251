// Counts are read while other waves still count.
#include "../planted.h"

__global__ void count_unordered(int* data) {
  __shared__ int bins[256];
  const int i = threadIdx.x;
  bins[i] = 0;
  __syncthreads();
  atomicAdd(&bins[(i * 7) % 256], 1);
  data[i] = bins[i];  // finds: lds_race
}

__global__ void count_ordered(int* data) {
  __shared__ int bins[256];
  const int i = threadIdx.x;
  bins[i] = 0;
  __syncthreads();
  atomicAdd(&bins[(i * 7) % 256], 1);
  __syncthreads();
  data[i] = bins[i];
}

static void run_lds_histogram_no_barrier(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    count_unordered<<<1, 256>>>(data);
  else
    count_ordered<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lds_histogram_no_barrier) { run_lds_histogram_no_barrier(true); }
CLEAN(lds_histogram_no_barrier) { run_lds_histogram_no_barrier(false); }

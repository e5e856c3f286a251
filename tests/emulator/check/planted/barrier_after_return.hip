// Some work-items of each wave return before the barrier.
#include "../planted.h"

__global__ void return_early(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  if (i % 64 > 59) return;
  tile[i] = i;
  __syncthreads();  // finds: divergent_barrier
  data[i] = tile[i / 64 * 64 + 3];
}

__global__ void return_late(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  if (i % 64 > 59) return;
  data[i] = tile[i / 64 * 64 + 3];
}

static void run_barrier_after_return(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    return_early<<<1, 256>>>(data);
  else
    return_late<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(barrier_after_return) { run_barrier_after_return(true); }
CLEAN(barrier_after_return) { run_barrier_after_return(false); }

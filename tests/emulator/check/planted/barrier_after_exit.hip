// A whole wave ends before the barrier.
#include "../planted.h"

__global__ void wave_leaves(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  if (i >= 192) return;
  tile[i] = i;
  __syncthreads();  // finds: barrier_after_exit
  data[i] = tile[191 - i];
}

__global__ void wave_stays(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  if (i >= 192) return;
  data[i] = tile[191 - i];
}

static void run_barrier_after_exit(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    wave_leaves<<<1, 256>>>(data);
  else
    wave_stays<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(barrier_after_exit) { run_barrier_after_exit(true); }
CLEAN(barrier_after_exit) { run_barrier_after_exit(false); }

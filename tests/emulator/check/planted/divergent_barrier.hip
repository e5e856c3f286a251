// A barrier in a branch that a part of the wave takes.
#include "../planted.h"

__global__ void barrier_in_branch(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  tile[i] = i;
  if (i % 2) {
    __syncthreads();  // finds: divergent_barrier
    data[i] = tile[i - 1];
  }
}

__global__ void barrier_for_all(int* data) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  if (i % 2) data[i] = tile[i - 1];
}

static void run_divergent_barrier(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    barrier_in_branch<<<1, 256>>>(data);
  else
    barrier_for_all<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(divergent_barrier) { run_divergent_barrier(true); }
CLEAN(divergent_barrier) { run_divergent_barrier(false); }

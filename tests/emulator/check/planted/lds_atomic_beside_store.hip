// One wave clears the counter that others already count with.
#include "../planted.h"

__global__ void clear_late(int* data) {
  __shared__ int counter;
  const int i = threadIdx.x;
  if (i == 0) counter = 0;
  atomicAdd(&counter, 1);  // finds: lds_race
  __syncthreads();
  data[i] = counter;
}

__global__ void clear_early(int* data) {
  __shared__ int counter;
  const int i = threadIdx.x;
  if (i == 0) counter = 0;
  __syncthreads();
  atomicAdd(&counter, 1);
  __syncthreads();
  data[i] = counter;
}

static void run_lds_atomic_beside_store(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    clear_late<<<1, 256>>>(data);
  else
    clear_early<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lds_atomic_beside_store) { run_lds_atomic_beside_store(true); }
CLEAN(lds_atomic_beside_store) { run_lds_atomic_beside_store(false); }

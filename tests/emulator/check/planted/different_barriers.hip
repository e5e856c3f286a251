// Two waves wait at barriers of different branches.
#include "../planted.h"

__global__ void two_barriers(int* data) {
  const int i = threadIdx.x;
  if (__builtin_amdgcn_readfirstlane(i) < 128) {
    data[i] = 1;
    __syncthreads();
    data[i] += 1;
  } else {
    data[i] = 2;
    __syncthreads();  // finds: different_barriers
    data[i] = 5;
  }
}

__global__ void one_barrier(int* data) {
  const int i = threadIdx.x;
  data[i] = __builtin_amdgcn_readfirstlane(i) < 128 ? 1 : 2;
  __syncthreads();
  if (__builtin_amdgcn_readfirstlane(i) < 128) data[i] = 5;
}

static void run_different_barriers(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    two_barriers<<<1, 256>>>(data);
  else
    one_barrier<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(different_barriers) { run_different_barriers(true); }
CLEAN(different_barriers) { run_different_barriers(false); }

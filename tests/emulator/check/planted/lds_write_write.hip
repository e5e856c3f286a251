// All waves leave their result in one place.
#include "../planted.h"

__global__ void last_wins(int* data) {
  __shared__ int winner;
  const int i = threadIdx.x;
  if (i % 64 == 0) winner = i;  // finds: lds_race
  __syncthreads();
  data[i] = winner;
}

__global__ void one_wins(int* data) {
  __shared__ int winner;
  const int i = threadIdx.x;
  if (i == 64) winner = i;
  __syncthreads();
  data[i] = winner;
}

static void run_lds_write_write(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    last_wins<<<1, 256>>>(data);
  else
    one_wins<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lds_write_write) { run_lds_write_write(true); }
CLEAN(lds_write_write) { run_lds_write_write(false); }

// An index that leaves a static array of LDS.
#include "../planted.h"

__global__ void rotate(int* data, int by) {
  __shared__ int ring[64];
  const int i = threadIdx.x;
  ring[i] = data[i];
  __syncthreads();
  data[i] = ring[i + by];  // finds: lds_out_of_bounds
}

static void run_lds_static_end(int by) {
  int* data = zeroed_array<int>(64);
  rotate<<<1, 64>>>(data, by);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lds_static_end) { run_lds_static_end(1); }
CLEAN(lds_static_end) { run_lds_static_end(0); }

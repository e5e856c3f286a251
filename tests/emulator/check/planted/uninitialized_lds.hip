// Half of a tile is loaded, all of it is used.
#include "../planted.h"

__global__ void reverse_tile(const int* in, int* out, int loaded) {
  __shared__ int tile[128];
  const int i = threadIdx.x;
  if (i < loaded) tile[i] = in[i];
  __syncthreads();
  out[i] = tile[127 - i];  // finds: uninitialized
}

static void run_uninitialized_lds(int loaded) {
  int *in = zeroed_array<int>(128), *out = device_array<int>(128);
  reverse_tile<<<1, 128>>>(in, out, loaded);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(uninitialized_lds) { run_uninitialized_lds(64); }
CLEAN(uninitialized_lds) { run_uninitialized_lds(128); }

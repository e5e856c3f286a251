// LDS reached by a generic pointer, beyond its end.
#include "../planted.h"

__global__ void put_behind(int* out, int index, bool in_lds) {
  __shared__ int cells[32];
  if (threadIdx.x < 32) cells[threadIdx.x] = 0;
  __syncthreads();
  int* where = in_lds ? cells : out;
  if (threadIdx.x == 0) where[index] = 5;  // finds: lds_out_of_bounds
  __syncthreads();
  if (threadIdx.x < 32) out[32 + threadIdx.x] = cells[threadIdx.x];
}

static void run_lds_generic_pointer(int index) {
  int* out = zeroed_array<int>(64);
  put_behind<<<1, 64>>>(out, index, true);
  finish();
  HIP_CHECK(hipFree(out));
}

PLANTED(lds_generic_pointer) { run_lds_generic_pointer(32); }
CLEAN(lds_generic_pointer) { run_lds_generic_pointer(31); }

// The launch gives less dynamic LDS than the kernel uses.
#include "../planted.h"

__global__ void reverse(int* data) {
  extern __shared__ int tile[];
  const int i = threadIdx.x;
  tile[i] = data[i];  // finds: lds_out_of_bounds
  __syncthreads();
  if (i >= 4) data[i] = tile[blockDim.x - 1 - i];
}

static void run_lds_dynamic_end(std::size_t lds) {
  int* data = zeroed_array<int>(128);
  reverse<<<1, 128, lds>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lds_dynamic_end) { run_lds_dynamic_end(124 * sizeof(int)); }
CLEAN(lds_dynamic_end) { run_lds_dynamic_end(128 * sizeof(int)); }

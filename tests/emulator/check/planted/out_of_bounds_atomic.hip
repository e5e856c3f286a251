// A histogram with one bin too few.
#include "../planted.h"

__global__ void count_bins(const int* in, int* bins) {
  atomicAdd(&bins[in[threadIdx.x]], 1);  // finds: out_of_bounds
}

static void run_out_of_bounds_atomic(int largest) {
  int host[64];
  for (int i = 0; i < 64; ++i) host[i] = i == 40 ? largest : i % 8;
  int *in = device_array<int>(64), *bins = zeroed_array<int>(8);
  HIP_CHECK(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
  count_bins<<<1, 64>>>(in, bins);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(bins));
}

PLANTED(out_of_bounds_atomic) { run_out_of_bounds_atomic(8); }
CLEAN(out_of_bounds_atomic) { run_out_of_bounds_atomic(7); }

// A private array of which a part is set.
#include "../planted.h"

__global__ void look_up(const int* in, int* out, int n, int index) {
  int table[32];
#pragma clang loop unroll(disable)
  for (int k = 0; k < n; ++k) table[k] = in[k];
  out[threadIdx.x] = table[(index + threadIdx.x) % 32];  // finds: uninitialized
}

static void run_uninitialized_scratch(int n) {
  int *in = zeroed_array<int>(32), *out = device_array<int>(64);
  look_up<<<1, 64>>>(in, out, n, 0);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(uninitialized_scratch) { run_uninitialized_scratch(20); }
CLEAN(uninitialized_scratch) { run_uninitialized_scratch(32); }

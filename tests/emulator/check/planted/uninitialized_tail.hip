// The last bytes of an array were not copied.
#include "../planted.h"

__global__ void widen(const char* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] * 3;  // finds: uninitialized
}

static void run_uninitialized_tail(std::size_t bytes) {
  char* in = device_array<char>(64);
  int* out = device_array<int>(64);
  HIP_CHECK(hipMemset(in, 7, bytes));
  widen<<<1, 64>>>(in, out);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(uninitialized_tail) { run_uninitialized_tail(63); }
CLEAN(uninitialized_tail) { run_uninitialized_tail(64); }

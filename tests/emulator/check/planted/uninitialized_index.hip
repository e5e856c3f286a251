// An index that nobody wrote is used as an address.
#include "../planted.h"

__global__ void scatter(const unsigned char* index, int* out) {
  out[index[threadIdx.x]] = 1;  // finds: uninitialized
}

static void run_uninitialized_index(bool writes) {
  unsigned char* index = device_array<unsigned char>(64);
  int* out = device_array<int>(256);
  if (writes) HIP_CHECK(hipMemset(index, 2, 64));
  scatter<<<1, 64>>>(index, out);
  finish();
  HIP_CHECK(hipFree(index));
  HIP_CHECK(hipFree(out));
}

PLANTED(uninitialized_index) { run_uninitialized_index(false); }
CLEAN(uninitialized_index) { run_uninitialized_index(true); }

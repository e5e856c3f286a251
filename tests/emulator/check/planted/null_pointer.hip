// An optional output that is not there.
#include "../planted.h"

__global__ void store_if(int* out, int* optional) {
  out[threadIdx.x] = 1;
  optional[threadIdx.x] = 2;  // finds: invalid_address
}

static void run_null_pointer(bool there) {
  int* out = device_array<int>(64);
  int* optional = there ? device_array<int>(64) : nullptr;
  store_if<<<1, 64>>>(out, optional);
  finish();
  HIP_CHECK(hipFree(out));
  if (there) HIP_CHECK(hipFree(optional));
}

PLANTED(null_pointer) { run_null_pointer(false); }
CLEAN(null_pointer) { run_null_pointer(true); }

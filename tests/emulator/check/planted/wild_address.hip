// An index in the wrong unit reaches far behind everything.
#include "../planted.h"

__global__ void store_at(int* out, long index) {
  out[index] = 7;  // finds: invalid_address
}

static void store(long index) {
  int* out = device_array<int>(64);
  store_at<<<1, 1>>>(out, index);
  finish();
  HIP_CHECK(hipFree(out));
}

PLANTED(wild_address) { store(1l << 43); }
CLEAN(wild_address) { store(63); }

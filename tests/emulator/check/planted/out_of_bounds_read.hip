// One byte behind the end of an array.
#include "../planted.h"

__global__ void read_next_byte(const char* in, char* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = in[i + 1];  // finds: out_of_bounds
}

static void read_all(int n) {
  char *in = zeroed_array<char>(50), *out = device_array<char>(50);
  read_next_byte<<<1, 64>>>(in, out, n);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(out_of_bounds_read) { read_all(50); }
CLEAN(out_of_bounds_read) { read_all(49); }

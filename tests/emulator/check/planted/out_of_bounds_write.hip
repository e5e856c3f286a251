// One byte behind the end of an array.
#include "../planted.h"

__global__ void write_bytes(char* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = 1;  // finds: out_of_bounds
}

static void write_all(int n) {
  char* out = device_array<char>(100);
  write_bytes<<<1, 128>>>(out, n);
  finish();
  HIP_CHECK(hipFree(out));
}

PLANTED(out_of_bounds_write) { write_all(101); }
CLEAN(out_of_bounds_write) { write_all(100); }

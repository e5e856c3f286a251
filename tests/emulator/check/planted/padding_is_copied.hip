// Records with padding, copied whole: in order. The fault copies one member that nobody wrote.
#include "../planted.h"

struct Padded {
  double wide;
  char narrow;
};

__global__ void set_and_copy(Padded* a, Padded* b, int set) {
  const int i = threadIdx.x;
  if (set > 0) a[i].wide = i;
  a[i].narrow = 'x';
  __syncthreads();
  b[i] = a[63 - i];
}

__global__ void take_wide(const Padded* b, double* out) {
  out[threadIdx.x] = b[threadIdx.x].wide;  // finds: uninitialized
}

static void run_padding_is_copied(int set) {
  Padded *a = device_array<Padded>(64), *b = device_array<Padded>(64);
  double* out = device_array<double>(64);
  set_and_copy<<<1, 64>>>(a, b, set);
  if (set) take_wide<<<1, 64>>>(b, out);
  finish();
  HIP_CHECK(hipFree(a));
  HIP_CHECK(hipFree(b));
  HIP_CHECK(hipFree(out));
}

CLEAN(padding_is_copied) { run_padding_is_copied(1); }
PLANTED(padding_is_copied) {
  Padded* b = device_array<Padded>(64);
  double* out = device_array<double>(64);
  take_wide<<<1, 64>>>(b, out);
  finish();
  HIP_CHECK(hipFree(b));
  HIP_CHECK(hipFree(out));
}

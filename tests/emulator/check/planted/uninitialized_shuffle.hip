// What nobody wrote goes to another lane before it is stored.
#include "../planted.h"

__global__ void from_neighbour(const int* in, int* out) {
  const int value = in[threadIdx.x];  // finds: uninitialized
  const int other = __shfl_xor(value, 32);
  if (threadIdx.x < 32) out[threadIdx.x] = other ^ 5;
}

static void run_uninitialized_shuffle(std::size_t written) {
  int *in = device_array<int>(64), *out = device_array<int>(64);
  HIP_CHECK(hipMemset(in, 0, written * sizeof(int)));
  from_neighbour<<<1, 64>>>(in, out);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(uninitialized_shuffle) { run_uninitialized_shuffle(60); }
CLEAN(uninitialized_shuffle) { run_uninitialized_shuffle(64); }

// A stencil that forgets its left border.
#include "../planted.h"

__global__ void left_neighbour(const float* in, float* out, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + first;
  out[i] = in[i - 1];  // finds: out_of_bounds
}

static void shift(int first, int n) {
  float *in = zeroed_array<float>(256), *out = device_array<float>(256);
  left_neighbour<<<n / 64, 64>>>(in, out, first);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(before_start) { shift(0, 256); }
CLEAN(before_start) { shift(1, 192); }

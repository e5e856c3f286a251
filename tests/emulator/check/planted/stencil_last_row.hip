// A stencil that reads the row behind the last.
#include "../planted.h"

constexpr int kWidth = 64;

__global__ void below(const float* in, float* out, int rows) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (y < rows) out[y * kWidth + x] = in[(y + 1) * kWidth + x];  // finds: out_of_bounds
}

static void run_stencil_last_row(int rows) {
  float *in = zeroed_array<float>(kWidth * 8), *out = device_array<float>(kWidth * 8);
  below<<<8, kWidth>>>(in, out, rows);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(stencil_last_row) { run_stencil_last_row(8); }
CLEAN(stencil_last_row) { run_stencil_last_row(7); }

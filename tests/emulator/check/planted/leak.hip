// options: --leaks
// Memory that is never freed; the kernel is in order.
#include "../planted.h"

__global__ void set_ones(int* out) { out[threadIdx.x] = 1; }

static void run_leak(bool frees) {
  int* out = nullptr;
  HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&out), 64 * sizeof(int)));  // finds: leak
  set_ones<<<1, 64>>>(out);
  finish();
  if (frees) HIP_CHECK(hipFree(out));
}

PLANTED(leak) { run_leak(false); }
CLEAN(leak) { run_leak(true); }

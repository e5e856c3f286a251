// options: --leaks
// Memory of each kind that is never freed; the kernel is in order.
#include "../planted.h"

__global__ void set_ones(int* out) { out[threadIdx.x] = 1; }

static void run_leak(bool frees) {
  int* out = nullptr;
  HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&out), 64 * sizeof(int)));  // finds: leak
  set_ones<<<1, 64>>>(out);
  finish();
  hipStream_t stream = nullptr;
  HIP_CHECK(hipStreamCreate(&stream));
  void *host = nullptr, *managed = nullptr, *of_pool = nullptr;
  HIP_CHECK(hipHostMalloc(&host, 256));              // finds: leak
  HIP_CHECK(hipMallocManaged(&managed, 256));        // finds: leak
  HIP_CHECK(hipMallocAsync(&of_pool, 256, stream));  // finds: leak
  if (!frees) return;
  HIP_CHECK(hipFree(out));
  HIP_CHECK(hipHostFree(host));
  HIP_CHECK(hipFree(managed));
  HIP_CHECK(hipFreeAsync(of_pool, stream));
}

PLANTED(leak) { run_leak(false); }
CLEAN(leak) { run_leak(true); }

// Memory of each kind is freed twice.
#include "../planted.h"

static void run_free_twice(bool twice) {
  int* device = device_array<int>(64);
  void *host = nullptr, *managed = nullptr, *of_pool = nullptr;
  HIP_CHECK(hipHostMalloc(&host, 256));
  HIP_CHECK(hipMallocManaged(&managed, 256));
  hipStream_t stream = nullptr;
  HIP_CHECK(hipStreamCreate(&stream));
  HIP_CHECK(hipMallocAsync(&of_pool, 256, stream));
  HIP_CHECK(hipFree(device));
  HIP_CHECK(hipHostFree(host));
  HIP_CHECK(hipFree(managed));
  HIP_CHECK(hipFreeAsync(of_pool, stream));
  if (!twice) return;
  (void)hipFree(device);                // finds: double_free
  (void)hipHostFree(host);              // finds: double_free
  (void)hipFree(managed);               // finds: double_free
  (void)hipFreeAsync(of_pool, stream);  // finds: double_free
}

PLANTED(free_twice) { run_free_twice(true); }
CLEAN(free_twice) { run_free_twice(false); }

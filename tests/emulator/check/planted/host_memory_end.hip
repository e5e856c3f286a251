// Host memory that the device maps has borders too.
#include "../planted.h"

__global__ void fill_mapped(int* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = i;  // finds: out_of_bounds
}

static void run_host_memory_end(int n) {
  int *host, *device;
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&host), 100 * sizeof(int), hipHostMallocMapped));
  HIP_CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
  fill_mapped<<<1, 128>>>(device, n);
  finish();
  HIP_CHECK(hipHostFree(host));
}

PLANTED(host_memory_end) { run_host_memory_end(101); }
CLEAN(host_memory_end) { run_host_memory_end(100); }

// Managed memory with advice and prefetching, and what can be asked of it.
#include "check.h"

__global__ void twice(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

int main() {
  int managed = 0;
  HIP_CHECK(hipDeviceGetAttribute(&managed, hipDeviceAttributeManagedMemory, 0));
  EXPECT(managed == 1);
  const int n = 100000;
  const size_t bytes = n * sizeof(int);
  int* data;
  HIP_CHECK(hipMallocManaged(&data, bytes));
  for (int i = 0; i < n; ++i) data[i] = i;
  HIP_CHECK(hipMemAdvise(data, bytes, hipMemAdviseSetPreferredLocation, 0));
  HIP_CHECK(hipMemPrefetchAsync(data, bytes, 0, nullptr));
  twice<<<(n + 63) / 64, 64>>>(data, n);
  HIP_CHECK(hipMemPrefetchAsync(data, bytes, hipCpuDeviceId, nullptr));
  HIP_CHECK(hipDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(data[i] == 2 * i);
  int location = -7;
  HIP_CHECK(hipMemRangeGetAttribute(&location, sizeof location,
                                    hipMemRangeAttributePreferredLocation, data, bytes));
  EXPECT(location == 0);
  HIP_CHECK(hipMemRangeGetAttribute(&location, sizeof location,
                                    hipMemRangeAttributeLastPrefetchLocation, data, bytes));
  EXPECT(location == hipCpuDeviceId);
  HIP_CHECK(hipFree(data));
}

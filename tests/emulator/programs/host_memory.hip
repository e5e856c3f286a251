// Managed, host-mapped and registered memory, read and written by kernels and by the host.
#include <vector>

#include "check.h"

__global__ void twice(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

__managed__ int managed_variable = 21;

__global__ void twice_managed() { managed_variable *= 2; }

static void run(int* host, int* device, int n) {
  for (int i = 0; i < n; ++i) host[i] = i + 1;
  twice<<<(n + 63) / 64, 64>>>(device, n);
  HIP_CHECK(hipDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(host[i] == 2 * (i + 1));
}

int main() {
  const int n = 5000;
  int* managed;
  HIP_CHECK(hipMallocManaged(&managed, n * sizeof(int)));
  run(managed, managed, n);
  HIP_CHECK(hipFree(managed));

  int *mapped, *device;
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&mapped), n * sizeof(int), hipHostMallocMapped));
  HIP_CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), mapped, 0));
  run(mapped, device, n);
  HIP_CHECK(hipHostFree(mapped));

  std::vector<int> plain(n);
  HIP_CHECK(hipHostRegister(plain.data(), n * sizeof(int), hipHostRegisterMapped));
  HIP_CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), plain.data(), 0));
  run(plain.data(), device, n);
  HIP_CHECK(hipHostUnregister(plain.data()));

  twice_managed<<<1, 1>>>();
  HIP_CHECK(hipDeviceSynchronize());
  EXPECT(managed_variable == 42);
}

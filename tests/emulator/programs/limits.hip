// What the device can't do is an error of HIP's own, and the program goes on.
#include "check.h"

__global__ void nothing() {}

int main() {
  nothing<<<1, 2048>>>();
  EXPECT(hipGetLastError() == hipErrorInvalidConfiguration);
  nothing<<<1, dim3(1, 1, 1025)>>>();
  EXPECT(hipGetLastError() == hipErrorInvalidConfiguration);
  nothing<<<0, 64>>>();
  EXPECT(hipGetLastError() != hipSuccess);
  nothing<<<1, 64, 64 * 1024 + 1>>>();
  EXPECT(hipGetLastError() != hipSuccess);
  nothing<<<1, 64, 64 * 1024>>>();
  HIP_CHECK(hipGetLastError());
  void* memory = nullptr;
  EXPECT(hipMalloc(&memory, size_t{1} << 50) == hipErrorOutOfMemory);
  EXPECT(hipHostMalloc(&memory, size_t{1} << 50) == hipErrorOutOfMemory);
  hipModule_t module = nullptr;
  EXPECT(hipModuleLoad(&module, "/nonexistent") == hipErrorFileNotFound);
  EXPECT(hipModuleLoad(&module, "/dev/null") != hipSuccess);
  nothing<<<1, 64>>>();
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
}

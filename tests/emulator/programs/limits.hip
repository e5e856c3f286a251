// What the device can't do is an error of HIP's own, and the program goes on.
#include "check.h"

__global__ void nothing() {}

int main() {
  nothing<<<1, 2048>>>();
  EXPECT(hipGetLastError() != hipSuccess);
  nothing<<<1, 64, 100 * 1024>>>();
  EXPECT(hipGetLastError() != hipSuccess);
  void* memory = nullptr;
  EXPECT(hipMalloc(&memory, size_t{1} << 50) == hipErrorOutOfMemory);
  nothing<<<1, 64>>>();
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
}

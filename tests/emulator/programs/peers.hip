// Two emulated GPUs: properties, peer access, peer copies, a kernel that reads the other's memory.
#include <vector>

#include "check.h"

__global__ void add_from(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

int main() {
  int devices = 0;
  HIP_CHECK(hipGetDeviceCount(&devices));
  EXPECT(devices == 2);
  int possible = 0;
  HIP_CHECK(hipDeviceCanAccessPeer(&possible, 0, 1));
  EXPECT(possible == 1);
  const int n = 4096;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = 3 * i;
  int *first, *second;
  HIP_CHECK(hipSetDevice(0));
  HIP_CHECK(hipMalloc(&first, n * sizeof(int)));
  HIP_CHECK(hipMemcpy(first, in.data(), n * sizeof(int), hipMemcpyHostToDevice));
  HIP_CHECK(hipSetDevice(1));
  HIP_CHECK(hipMalloc(&second, n * sizeof(int)));
  HIP_CHECK(hipMemcpyPeer(second, 1, first, 0, n * sizeof(int)));
  HIP_CHECK(hipMemcpy(out.data(), second, n * sizeof(int), hipMemcpyDeviceToHost));
  EXPECT(in == out);
  HIP_CHECK(hipDeviceEnablePeerAccess(0, 0));
  add_from<<<n / 256, 256>>>(first, second, n);
  HIP_CHECK(hipMemcpy(out.data(), second, n * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == 6 * i);
}

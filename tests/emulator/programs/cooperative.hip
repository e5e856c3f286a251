// A cooperative launch: all workgroups wait for one another, twice.

#include "check.h"  // first: cooperative groups need the runtime header before them

#include <hip/hip_cooperative_groups.h>

#include <vector>

namespace cg = cooperative_groups;

__global__ void exchange(int* data, int* out, int n) {
  cg::grid_group grid = cg::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  grid.sync();
  const int other = data[n - 1 - i];
  grid.sync();
  data[i] = other + 1;
  grid.sync();
  out[i] = data[n - 1 - i];
}

int main() {
  int n = 16 * 256;
  int *data, *out;
  HIP_CHECK(hipMalloc(&data, n * sizeof(int)));
  HIP_CHECK(hipMalloc(&out, n * sizeof(int)));
  void* arguments[] = {&data, &out, &n};
  HIP_CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(exchange), dim3(16), dim3(256),
                                       arguments, 0, nullptr));
  std::vector<int> host(n);
  HIP_CHECK(hipMemcpy(host.data(), out, n * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i + 1);
}

// Workgroups that wait for one another on memory: all resident workgroups must make progress.
#include <vector>

#include "check.h"

// Each workgroup waits for the one after it.
__global__ void chain(int* flags, int groups) {
  if (threadIdx.x == 0) {
    const int next = blockIdx.x + 1;
    if (next < groups) {
      while (__hip_atomic_load(&flags[next], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {
      }
    }
    __hip_atomic_store(&flags[blockIdx.x], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}

int main() {
  const int groups = 24;
  int* flags;
  HIP_CHECK(hipMalloc(&flags, groups * sizeof(int)));
  HIP_CHECK(hipMemset(flags, 0, groups * sizeof(int)));
  chain<<<groups, 64>>>(flags, groups);
  std::vector<int> out(groups);
  HIP_CHECK(hipMemcpy(out.data(), flags, groups * sizeof(int), hipMemcpyDeviceToHost));
  for (int flag : out) EXPECT(flag == 1);
}

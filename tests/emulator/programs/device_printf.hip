// printf in a kernel: the host serves it while the kernel runs.
#include "check.h"

__global__ void speak(int n) {
  if (threadIdx.x < n)
    printf("thread %d says %s %.2f\n", int(threadIdx.x), "hello", 0.5 * threadIdx.x);
}

int main() {
  speak<<<1, 64>>>(3);
  HIP_CHECK(hipDeviceSynchronize());
  std::puts("after the kernel");
}

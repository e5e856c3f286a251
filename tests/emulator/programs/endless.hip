// A kernel that never ends: geak run --timeout stops it.
#include "check.h"

__global__ void endless(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main() {
  int* flag;
  HIP_CHECK(hipMalloc(&flag, sizeof(int)));
  HIP_CHECK(hipMemset(flag, 0, sizeof(int)));
  endless<<<1, 64>>>(flag);
  HIP_CHECK(hipDeviceSynchronize());
}

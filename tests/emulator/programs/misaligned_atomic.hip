// An atomic operation at an address that hardware does not take must end the program with a message.
#include "check.h"

__global__ void count_beside(char* where) { atomicAdd(reinterpret_cast<int*>(where + 2), 1); }

int main() {
  char* memory = nullptr;
  HIP_CHECK(hipMalloc(&memory, 64));
  count_beside<<<1, 1>>>(memory);
  (void)hipDeviceSynchronize();
  std::puts("survived");
}

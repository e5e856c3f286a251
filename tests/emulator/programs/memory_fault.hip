// A store through a wild pointer must end the program with a message that names the kernel.
#include "check.h"

__global__ void wild_store(int* where) { *where = 1; }

int main() {
  wild_store<<<1, 1>>>(reinterpret_cast<int*>(0x123456789000));
  (void)hipDeviceSynchronize();
  std::puts("survived");
}

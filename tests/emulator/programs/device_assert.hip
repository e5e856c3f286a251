// A failing assert in a kernel must end the program with a message.
#include <cassert>

#include "check.h"

__global__ void claim(int n) { assert(static_cast<int>(threadIdx.x) < n); }

int main() {
  claim<<<1, 64>>>(10);
  (void)hipDeviceSynchronize();
  std::puts("survived");
}

// __device__ and __constant__ variables, copied to and from the host.
#include "check.h"

__device__ int counter = 5;
__constant__ float table[64];
__device__ float results[64];
__device__ int* pointer_to_counter = &counter;  // needs a relocation

__global__ void use() {
  results[threadIdx.x] = table[63 - threadIdx.x] * 2;
  if (threadIdx.x == 0) *pointer_to_counter += 10;
}

int main() {
  float in[64], out[64];
  for (int i = 0; i < 64; ++i) in[i] = 1.5f * i;
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), in, sizeof in));
  use<<<1, 64>>>();
  HIP_CHECK(hipMemcpyFromSymbol(out, HIP_SYMBOL(results), sizeof out));
  for (int i = 0; i < 64; ++i) EXPECT(out[i] == in[63 - i] * 2);
  int count = 0;
  HIP_CHECK(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count));
  EXPECT(count == 15);
  void* address;
  size_t bytes;
  HIP_CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
  HIP_CHECK(hipGetSymbolSize(&bytes, HIP_SYMBOL(table)));
  EXPECT(address != nullptr && bytes == sizeof in);
}

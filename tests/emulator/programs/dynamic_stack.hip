// Stacks that the compiler cannot measure: recursion, and calls through pointers.
#include <vector>

#include "check.h"

__device__ __attribute__((noinline)) int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __attribute__((noinline)) int sum_of_local_array(int n) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[(i * 7 + n) % 64] = i * n;
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += values[i] - values[(i + n) % 64] / 2;
  return sum;
}
__device__ __attribute__((noinline)) int twice(int n) { return 2 * n; }

using Function = int (*)(int);

__global__ void recurse(int* out) { out[threadIdx.x] = ackermann(2, threadIdx.x % 5); }

__global__ void choose(int* out, int n) {
  Function functions[] = {sum_of_local_array, twice};
  out[threadIdx.x] = functions[(threadIdx.x + n) % 2](threadIdx.x + 1);
}

int expected_sum(int n) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[(i * 7 + n) % 64] = i * n;
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += values[i] - values[(i + n) % 64] / 2;
  return sum;
}

int main() {
  int* data;
  HIP_CHECK(hipMalloc(&data, 64 * sizeof(int)));
  std::vector<int> out(64);
  recurse<<<1, 64>>>(data);
  HIP_CHECK(hipMemcpy(out.data(), data, 64 * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(out[i] == 2 * (i % 5) + 3);
  choose<<<1, 64>>>(data, 1);
  HIP_CHECK(hipMemcpy(out.data(), data, 64 * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    EXPECT(out[i] == ((i + 1) % 2 == 0 ? expected_sum(i + 1) : 2 * (i + 1)));
}

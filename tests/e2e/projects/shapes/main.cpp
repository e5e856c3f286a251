#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

void launch_add_one(int* values, int count);
void launch_twice(int* values, int count);

__global__ void increment(int* values) { values[threadIdx.x] += INCREMENT; }

int main() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[i] = i;
  int* device = nullptr;
  if (hipMalloc(&device, 64 * sizeof(int)) != hipSuccess) return 3;
  (void)hipMemcpy(device, values.data(), 64 * sizeof(int), hipMemcpyHostToDevice);
  launch_add_one(device, 64);
  launch_twice(device, 64);
  increment<<<1, 64>>>(device);
  if (hipMemcpy(values.data(), device, 64 * sizeof(int), hipMemcpyDeviceToHost) != hipSuccess) {
    return 3;
  }
  for (int i = 0; i < 64; ++i) {
    if (values[i] != 2 * (i + 1) + INCREMENT) return 1;
  }
  std::puts("PASS");
}

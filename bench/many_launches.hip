// A thousand small launches of four kernels, as an iterative solver makes them.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
__global__ void shift(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}
__global__ void relax(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < n) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}
__global__ void residual(const float* x, const float* y, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 64 == 0) atomicAdd(sum, (x[i] - y[i]) * (x[i] - y[i]));
}

static void check(hipError_t status) {
  if (status == hipSuccess) return;
  std::fprintf(stderr, "many_launches: %s\n", hipGetErrorString(status));
  std::exit(3);
}

int main() {
  constexpr int kSize = 4096, kRounds = 250;
  float *x = nullptr, *y = nullptr, *sum = nullptr;
  check(hipMalloc(&x, kSize * sizeof(float)));
  check(hipMalloc(&y, kSize * sizeof(float)));
  check(hipMalloc(&sum, sizeof(float)));
  std::vector<float> values(kSize, 1.5f);
  check(hipMemcpy(x, values.data(), kSize * sizeof(float), hipMemcpyHostToDevice));
  check(hipMemset(y, 0, kSize * sizeof(float)));
  check(hipMemset(sum, 0, sizeof(float)));
  for (int round = 0; round < kRounds; ++round) {
    relax<<<kSize / 256, 256>>>(x, y, kSize);
    residual<<<kSize / 256, 256>>>(x, y, sum, kSize);
    scale<<<kSize / 256, 256>>>(x, 0.999f, kSize);
    shift<<<kSize / 256, 256>>>(x, 0.001f, kSize);
  }
  check(hipDeviceSynchronize());
  std::printf("done\n");
  return 0;
}

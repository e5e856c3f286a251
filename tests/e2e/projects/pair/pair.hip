#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kSize = 1 << 18;  // for less, a launch is all that its time shows
constexpr float kMark = 1234.5f;  // a constant that the test finds in the object

__device__ float weight(int distance) { return 1.0f / (1.0f + 0.25f * abs(distance)); }

__global__ void smooth(const float* input, float* output, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = kMark;
  for (int d = -8; d <= 8; ++d) {
    const int j = i + d;
    if (j >= 0 && j < size) sum += input[j] * weight(d);
  }
  output[i] = sum;
}

__global__ void lift(const float* input, float* output, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float highest = input[i];
  for (int d = -4; d <= 4; ++d) {
    const int j = i + d;
    if (j >= 0 && j < size) highest = fmaxf(highest, input[j] * weight(d));
  }
  output[i] = highest;
}

int main() {
  std::vector<float> input(kSize), smoothed(kSize), lifted(kSize);
  for (int i = 0; i < kSize; ++i) input[i] = 0.001f * static_cast<float>((i * 7919) % 1000);
  float *a = nullptr, *b = nullptr, *c = nullptr;
  const std::size_t bytes = kSize * sizeof(float);
  if (hipMalloc(&a, bytes) != hipSuccess || hipMalloc(&b, bytes) != hipSuccess ||
      hipMalloc(&c, bytes) != hipSuccess) {
    return 3;
  }
  (void)hipMemcpy(a, input.data(), bytes, hipMemcpyHostToDevice);
  smooth<<<(kSize + 255) / 256, 256>>>(a, b, kSize);
  lift<<<(kSize + 255) / 256, 256>>>(a, c, kSize);
  (void)hipMemcpy(smoothed.data(), b, bytes, hipMemcpyDeviceToHost);
  if (hipMemcpy(lifted.data(), c, bytes, hipMemcpyDeviceToHost) != hipSuccess) return 3;
  int wrong = 0;
  for (int i = 0; i < kSize; ++i) {
    double sum = kMark, highest = input[i];
    for (int d = -8; d <= 8; ++d) {
      if (i + d < 0 || i + d >= kSize) continue;
      const double term = input[i + d] / (1.0 + 0.25 * std::abs(d));
      sum += term;
      if (std::abs(d) <= 4) highest = std::fmax(highest, term);
    }
    wrong += std::fabs(smoothed[i] - sum) > 1e-2 || std::fabs(lifted[i] - highest) > 1e-5;
  }
  std::printf(wrong ? "FAIL\n" : "PASS\n");
  return wrong ? 1 : 0;
}

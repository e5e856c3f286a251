#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "report.h"
#include "window.h"

#define GAIN 2.0f
constexpr float kOffset = 0.5f;

// A comment elsewhere in the file.

__global__ void smooth(const float* input, float* output, int size, Window window) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0.0f;
  for (int d = -8; d <= 8; ++d) {
    const int j = i + d;
    if (j >= 0 && j < size) sum += input[j] * weight(d, window);
  }
  output[i] = sum * GAIN + kOffset;
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 262144;
  const Window window{8, 0.25f};
  std::mt19937 random(7);
  std::uniform_real_distribution<float> values(-1.0f, 1.0f);
  std::vector<float> input(size);
  for (float& value : input) value = values(random);

  float* d_input = nullptr;
  float* d_output = nullptr;
  if (hipMalloc(&d_input, size * sizeof(float)) != hipSuccess) return 3;
  if (hipMalloc(&d_output, size * sizeof(float)) != hipSuccess) return 3;
  (void)hipMemcpy(d_input, input.data(), size * sizeof(float), hipMemcpyHostToDevice);
  smooth<<<(size + 255) / 256, 256>>>(d_input, d_output, size, window);
  std::vector<float> output(size);
  const hipError_t copied =
      hipMemcpy(output.data(), d_output, size * sizeof(float), hipMemcpyDeviceToHost);
  if (copied != hipSuccess) return 3;

  int wrong = 0;
  for (int i = 0; i < size; ++i) {
    double sum = 0;
    for (int d = -8; d <= 8; ++d) {
      if (i + d >= 0 && i + d < size) sum += input[i + d] / (1.0 + 0.25 * std::abs(d));
    }
    wrong += std::abs(output[i] - (sum * GAIN + kOffset)) > 1e-4;
  }
  return report(wrong);
}

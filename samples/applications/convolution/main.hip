// Two-dimensional convolution of an image with a small square mask; pixels outside count as zero.
#include "../common/sample.h"

#include <cmath>
#include <random>
#include <vector>

constexpr size_t kMaskWidth = 5;
__constant__ float d_mask[kMaskWidth * kMaskWidth];

// One thread computes one pixel of the output. dims: width and height.
template <size_t MaskWidth = 5>
__global__ void convolution(const float* input, float* output, uint2 dims) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int width = dims.x;
  const int height = dims.y;
  if (x >= width || y >= height) return;

  const int radius = MaskWidth / 2;
  float sum = 0.0f;
  for (int my = 0; my < static_cast<int>(MaskWidth); ++my) {
    for (int mx = 0; mx < static_cast<int>(MaskWidth); ++mx) {
      const int ix = x + mx - radius;
      const int iy = y + my - radius;
      if (ix >= 0 && ix < width && iy >= 0 && iy < height) {
        sum += input[iy * width + ix] * d_mask[my * MaskWidth + mx];
      }
    }
  }
  output[y * width + x] = sum;
}

static double reference_pixel(const std::vector<float>& image, const std::vector<float>& mask,
                              int width, int height, int x, int y) {
  const int mask_width = kMaskWidth;
  double sum = 0;
  for (int my = 0; my < mask_width; ++my) {
    for (int mx = 0; mx < mask_width; ++mx) {
      const int ix = x + mx - mask_width / 2;
      const int iy = y + my - mask_width / 2;
      if (ix < 0 || ix >= width || iy < 0 || iy >= height) continue;
      sum += double(image[size_t(iy) * width + ix]) * mask[my * mask_width + mx];
    }
  }
  return sum;
}

int main(int argc, char** argv) {
  const sample::Options options =
      sample::parse_options(argc, argv, 1024, 1, 16384, "width of the image");
  const int width = options.size;
  const int height = width > 3 ? width - 3 : width;  // not square: x and y must not be mixed up
  const size_t pixels = size_t(width) * height;

  std::mt19937 random(options.seed);
  std::uniform_real_distribution<float> values(-1.0f, 1.0f);
  std::vector<float> image(pixels);
  for (float& value : image) value = values(random);
  std::vector<float> mask(kMaskWidth * kMaskWidth);
  for (float& value : mask) value = values(random);

  float* input = nullptr;
  float* output = nullptr;
  HIP_CHECK(hipMalloc(&input, pixels * sizeof(float)));
  HIP_CHECK(hipMalloc(&output, pixels * sizeof(float)));
  HIP_CHECK(hipMemcpy(input, image.data(), pixels * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(d_mask), mask.data(), mask.size() * sizeof(float)));

  const dim3 block(32, 32);
  const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  sample::EventTimer timer;
  timer.start();
  convolution<<<grid, block>>>(input, output, uint2{unsigned(width), unsigned(height)});
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  std::vector<float> result(pixels);
  HIP_CHECK(hipMemcpy(result.data(), output, pixels * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(input));
  HIP_CHECK(hipFree(output));

  bool passed = true;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double expected = reference_pixel(image, mask, width, height, x, y);
      passed = passed && std::abs(result[size_t(y) * width + x] - expected) <= 1e-5;
    }
  }
  return sample::report("random image", passed, ms) ? 0 : 1;
}

// What the point-cloud operators share: which shape to run, device buffers, exact random input.
#pragma once

#include "../applications/common/sample.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace sample {

// small: seconds on an emulated GPU; published: what the field reports; large: fills a real GPU.
enum class Shape { kSmall, kPublished, kLarge };

// Reads `--shape small|published|large`; ends the program with status 2 on anything else.
inline Shape parse_shape(int argc, char** argv) {
  if (argc == 1) return Shape::kSmall;
  const std::string value = argc == 3 && std::strcmp(argv[1], "--shape") == 0 ? argv[2] : "";
  if (value == "small") return Shape::kSmall;
  if (value == "published") return Shape::kPublished;
  if (value == "large") return Shape::kLarge;
  std::fprintf(stderr, "usage: %s [--shape small|published|large]\n", argv[0]);
  std::exit(2);
}

template <typename T>
T by_shape(Shape shape, T small, T published, T large) {
  return shape == Shape::kSmall ? small : shape == Shape::kPublished ? published : large;
}

// Memory on the GPU, freed with the object.
template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) {
    HIP_CHECK(hipMalloc(&data_, count * sizeof(T)));
    HIP_CHECK(hipMemset(data_, 0xcd, count * sizeof(T)));  // zero must not pass for a result
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    HIP_CHECK(hipMemcpy(data_, values.data(), count_ * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Buffer() { (void)hipFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* get() { return data_; }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    HIP_CHECK(hipMemcpy(values.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// Coordinates of the form k/16 with small k: squared distances are exact in float in any order and
// with any contraction, so index results can be compared exactly.
inline std::vector<float> exact_coordinates(size_t count, std::mt19937& random, int range = 512) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<int>(random() % (2 * range)) / 16.0f - range / 16;
  return values;
}

inline std::vector<float> uniform_floats(size_t count, std::mt19937& random, float low,
                                         float high) {
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random);
  return values;
}

inline std::vector<int> random_indices(size_t count, std::mt19937& random, int below) {
  std::vector<int> values(count);
  for (int& value : values) value = static_cast<int>(random() % below);
  return values;
}

// Whether a and b agree to `relative` of the larger magnitude, or to that of 1 near zero.
inline bool close_to(double a, double b, double relative) {
  const double scale = std::max({1.0, std::abs(a), std::abs(b)});
  return std::abs(a - b) <= relative * scale;
}

inline unsigned blocks_for(size_t items, unsigned block) {
  return static_cast<unsigned>((items + block - 1) / block);
}

}  // namespace sample

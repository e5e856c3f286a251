// Features of a point as the weighted sum of three known ones.
#include "../operator.h"

// One thread computes one value: out[b, c, j] = sum of weight[b, j, i] * points[b, c, idx[b, j,
// i]]. points: (b, c, m); idx and weight: (b, n, 3); out: (b, c, n).
__global__ void three_interpolate(int b, int c, int m, int n, const float* points, const int* idx,
                                  const float* weight, float* out) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int channel = blockIdx.y;
  const int batch = blockIdx.z;
  if (batch >= b || channel >= c || column >= n) return;
  weight += (size_t(batch) * n + column) * 3;
  idx += (size_t(batch) * n + column) * 3;
  points += (size_t(batch) * c + channel) * m;
  out += (size_t(batch) * c + channel) * n;
  out[column] =
      weight[0] * points[idx[0]] + weight[1] * points[idx[1]] + weight[2] * points[idx[2]];
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int b = sample::by_shape(shape, 2, 8, 8);
  const int c = sample::by_shape(shape, 16, 64, 256);
  const int m = sample::by_shape(shape, 512, 8192, 16384);
  const int n = sample::by_shape(shape, 256, 2048, 16384);

  std::mt19937 random(7);
  const auto points = sample::uniform_floats(size_t(b) * c * m, random, -1, 1);
  const auto weight = sample::uniform_floats(size_t(b) * n * 3, random, 0, 1);
  const auto idx = sample::random_indices(size_t(b) * n * 3, random, m);
  sample::Buffer<float> d_points(points), d_weight(weight), d_out(size_t(b) * c * n);
  sample::Buffer<int> d_idx(idx);
  sample::EventTimer timer;
  timer.start();
  three_interpolate<<<dim3(sample::blocks_for(n, 256), c, b), 256>>>(
      b, c, m, n, d_points.get(), d_idx.get(), d_weight.get(), d_out.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto out = d_out.read();
  bool passed = true;
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t row = i / n, batch = row / c, first = (batch * n + i % n) * 3;
    double expected = 0;
    for (int j = 0; j < 3; ++j)
      expected += double(weight[first + j]) * points[row * m + idx[first + j]];
    passed = passed && sample::close_to(out[i], expected, 1e-6);
  }
  return sample::report("three_interpolate", passed, ms) ? 0 : 1;
}

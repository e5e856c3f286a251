// Gathers columns of a feature matrix by index, in float and in half.
#include <hip/hip_fp16.h>

#include "../operator.h"

// One thread copies one value: out[b, c, j] = points[b, c, idx[b, j]].
// points: (b, c, n); idx: (b, m); out: (b, c, m).
template <typename T>
__global__ void gather_points(int b, int c, int n, int m, const T* points, const int* idx, T* out) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int channel = blockIdx.y;
  const int batch = blockIdx.z;
  if (batch >= b || channel >= c || column >= m) return;
  const int source = idx[size_t(batch) * m + column];
  out[(size_t(batch) * c + channel) * m + column] =
      points[(size_t(batch) * c + channel) * n + source];
}

template <typename T>
static bool run(const char* name, int b, int c, int n, int m, std::mt19937& random) {
  std::vector<T> points(size_t(b) * c * n);
  for (size_t i = 0; i < points.size(); ++i)
    points[i] = static_cast<T>(static_cast<float>(random() % 2048));  // exact in half
  const auto idx = sample::random_indices(size_t(b) * m, random, n);
  sample::Buffer<T> d_points(points), d_out(size_t(b) * c * m);
  sample::Buffer<int> d_idx(idx);
  sample::EventTimer timer;
  timer.start();
  gather_points<T><<<dim3(sample::blocks_for(m, 256), c, b), 256>>>(b, c, n, m, d_points.get(),
                                                                    d_idx.get(), d_out.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto out = d_out.read();
  bool passed = true;
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t row = i / m, batch = row / c;
    const T expected = points[row * n + idx[batch * m + i % m]];
    passed = passed && std::memcmp(&expected, &out[i], sizeof(T)) == 0;
  }
  return sample::report(name, passed, ms);
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int b = sample::by_shape(shape, 2, 8, 8);
  const int c = sample::by_shape(shape, 16, 64, 256);
  const int n = sample::by_shape(shape, 512, 1024, 65536);
  const int m = sample::by_shape(shape, 128, 128, 16384);
  std::mt19937 random(4);
  const bool floats = run<float>("gather_points float", b, c, n, m, random);
  const bool halves = run<__half>("gather_points half", b, c, n, m, random);
  return floats && halves ? 0 : 1;
}

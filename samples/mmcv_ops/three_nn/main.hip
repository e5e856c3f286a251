// The three nearest known points of each unknown one.
#include "../operator.h"

// One thread serves one unknown point. unknown: (b, n, 3); known: (b, m, 3); dist2 and idx:
// (b, n, 3), nearest first, of equal distances the lower index first.
__global__ void three_nn(int b, int n, int m, const float* unknown, const float* known,
                         float* dist2, int* idx) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  const int batch = blockIdx.y;
  if (batch >= b || point >= n) return;
  unknown += (size_t(batch) * n + point) * 3;
  known += size_t(batch) * m * 3;
  dist2 += (size_t(batch) * n + point) * 3;
  idx += (size_t(batch) * n + point) * 3;

  const float ux = unknown[0];
  const float uy = unknown[1];
  const float uz = unknown[2];
  double best1 = 1e40, best2 = 1e40, best3 = 1e40;
  int index1 = 0, index2 = 0, index3 = 0;
  for (int k = 0; k < m; ++k) {
    const float dx = ux - known[k * 3 + 0];
    const float dy = uy - known[k * 3 + 1];
    const float dz = uz - known[k * 3 + 2];
    const float d = dx * dx + dy * dy + dz * dz;
    if (d < best1) {
      best3 = best2;
      index3 = index2;
      best2 = best1;
      index2 = index1;
      best1 = d;
      index1 = k;
    } else if (d < best2) {
      best3 = best2;
      index3 = index2;
      best2 = d;
      index2 = k;
    } else if (d < best3) {
      best3 = d;
      index3 = k;
    }
  }
  dist2[0] = best1;
  dist2[1] = best2;
  dist2[2] = best3;
  idx[0] = index1;
  idx[1] = index2;
  idx[2] = index3;
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int b = sample::by_shape(shape, 2, 8, 8);
  const int n = sample::by_shape(shape, 256, 1024, 16384);
  const int m = sample::by_shape(shape, 256, 2048, 4096);

  std::mt19937 random(6);
  const auto unknown = sample::exact_coordinates(size_t(b) * n * 3, random);
  const auto known = sample::exact_coordinates(size_t(b) * m * 3, random);
  sample::Buffer<float> d_unknown(unknown), d_known(known), d_dist(size_t(b) * n * 3);
  sample::Buffer<int> d_idx(size_t(b) * n * 3);
  sample::EventTimer timer;
  timer.start();
  three_nn<<<dim3(sample::blocks_for(n, 256), b), 256>>>(b, n, m, d_unknown.get(), d_known.get(),
                                                         d_dist.get(), d_idx.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto dist = d_dist.read();
  const auto idx = d_idx.read();
  const int step = shape == sample::Shape::kLarge ? 31 : 1;
  bool passed = true;
  for (int row = 0; row < b * n; row += step) {
    std::vector<std::pair<float, int>> all(m);
    for (int k = 0; k < m; ++k) {
      float d2 = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const float d =
            unknown[size_t(row) * 3 + axis] - known[(size_t(row / n) * m + k) * 3 + axis];
        d2 += d * d;
      }
      all[k] = {d2, k};
    }
    std::partial_sort(all.begin(), all.begin() + 3, all.end());
    for (int i = 0; i < 3; ++i)
      passed = passed && dist[size_t(row) * 3 + i] == all[i].first &&
               idx[size_t(row) * 3 + i] == all[i].second;
  }
  return sample::report("three_nn", passed, ms) ? 0 : 1;
}

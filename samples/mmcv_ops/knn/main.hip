// The k nearest points of each query, by a heap in each thread.
#include "../operator.h"

constexpr int kMaxSamples = 100;

__device__ void swap_entries(float* dist, int* idx, int i, int j) {
  const float d = dist[i];
  dist[i] = dist[j];
  dist[j] = d;
  const int k = idx[i];
  idx[i] = idx[j];
  idx[j] = k;
}

// Moves the root of a max-heap of `size` entries down to where it belongs.
__device__ void sift_down(float* dist, int* idx, int size) {
  int root = 0;
  int child = 1;
  while (child < size) {
    if (child + 1 < size && dist[child + 1] > dist[child]) ++child;
    if (dist[root] >= dist[child]) return;
    swap_entries(dist, idx, root, child);
    root = child;
    child = root * 2 + 1;
  }
}

// One thread serves one query: nearest first. xyz: (b, n, 3); new_xyz: (b, m, 3); idx and dist2:
// (b, m, nsample), nsample at most 100. Which of equally distant points is taken is not defined.
__global__ void knn(int b, int n, int m, int nsample, const float* xyz, const float* new_xyz,
                    int* idx, float* dist2) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  const int batch = blockIdx.y;
  if (batch >= b || query >= m) return;
  new_xyz += (size_t(batch) * m + query) * 3;
  xyz += size_t(batch) * n * 3;
  idx += (size_t(batch) * m + query) * nsample;
  dist2 += (size_t(batch) * m + query) * nsample;

  float best_dist[kMaxSamples];
  int best_idx[kMaxSamples];
  for (int i = 0; i < nsample; ++i) {
    best_dist[i] = 1e10f;
    best_idx[i] = 0;
  }
  for (int i = 0; i < n; ++i) {
    const float dx = new_xyz[0] - xyz[i * 3 + 0];
    const float dy = new_xyz[1] - xyz[i * 3 + 1];
    const float dz = new_xyz[2] - xyz[i * 3 + 2];
    const float d2 = dx * dx + dy * dy + dz * dz;
    if (d2 < best_dist[0]) {
      best_dist[0] = d2;
      best_idx[0] = i;
      sift_down(best_dist, best_idx, nsample);
    }
  }
  for (int last = nsample - 1; last > 0; --last) {
    swap_entries(best_dist, best_idx, 0, last);
    sift_down(best_dist, best_idx, last);
  }
  for (int i = 0; i < nsample; ++i) {
    idx[i] = best_idx[i];
    dist2[i] = best_dist[i];
  }
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int b = sample::by_shape(shape, 2, 8, 8);
  const int n = sample::by_shape(shape, 256, 1024, 16384);
  const int m = sample::by_shape(shape, 64, 128, 4096);
  const int nsample = sample::by_shape(shape, 5, 5, 16);

  std::mt19937 random(5);
  const auto xyz = sample::exact_coordinates(size_t(b) * n * 3, random);
  const auto new_xyz = sample::exact_coordinates(size_t(b) * m * 3, random);
  sample::Buffer<float> d_xyz(xyz), d_new_xyz(new_xyz), d_dist(size_t(b) * m * nsample);
  sample::Buffer<int> d_idx(size_t(b) * m * nsample);
  sample::EventTimer timer;
  timer.start();
  knn<<<dim3(sample::blocks_for(m, 256), b), 256>>>(b, n, m, nsample, d_xyz.get(), d_new_xyz.get(),
                                                    d_idx.get(), d_dist.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  // Distances are exact and must agree; an index must name a point at that distance, and no point
  // twice, since ties leave open which.
  const auto idx = d_idx.read();
  const auto dist = d_dist.read();
  const int step = shape == sample::Shape::kLarge ? 31 : 1;
  bool passed = true;
  for (int row = 0; row < b * m; row += step) {
    std::vector<float> all(n);
    for (int k = 0; k < n; ++k) {
      const float* point = &xyz[(size_t(row / m) * n + k) * 3];
      float d2 = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const float d = new_xyz[size_t(row) * 3 + axis] - point[axis];
        d2 += d * d;
      }
      all[k] = d2;
    }
    std::vector<int> taken(&idx[size_t(row) * nsample], &idx[size_t(row) * nsample] + nsample);
    for (int i = 0; i < nsample; ++i)
      passed = passed && taken[i] >= 0 && taken[i] < n &&
               all[taken[i]] == dist[size_t(row) * nsample + i];
    std::sort(taken.begin(), taken.end());
    passed = passed && std::adjacent_find(taken.begin(), taken.end()) == taken.end();
    std::sort(all.begin(), all.end());
    passed = passed && std::equal(all.begin(), all.begin() + nsample, &dist[size_t(row) * nsample]);
  }
  return sample::report("knn", passed, ms) ? 0 : 1;
}

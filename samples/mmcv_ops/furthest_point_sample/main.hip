// Greedy sampling: each next point is the one furthest from all chosen so far.
#include "../operator.h"

// One block samples one batch. dataset: (b, n, 3); temp: (b, n), the distance of each point to the
// chosen set, large at the start; idxs: (b, m). Of equal distances the lower index wins.
template <unsigned block_size>
__global__ void furthest_point_sample(int b, int n, int m, const float* dataset, float* temp,
                                      int* idxs) {
  __shared__ float best_distance[block_size];
  __shared__ int best_index[block_size];
  if (m <= 0 || blockIdx.x >= static_cast<unsigned>(b)) return;
  dataset += size_t(blockIdx.x) * n * 3;
  temp += size_t(blockIdx.x) * n;
  idxs += size_t(blockIdx.x) * m;

  const int tid = threadIdx.x;
  int chosen = 0;
  if (tid == 0) idxs[0] = chosen;
  for (int j = 1; j < m; ++j) {
    float furthest = -1;
    int furthest_index = 0;
    const float x1 = dataset[chosen * 3 + 0];
    const float y1 = dataset[chosen * 3 + 1];
    const float z1 = dataset[chosen * 3 + 2];
    for (int k = tid; k < n; k += block_size) {
      const float dx = dataset[k * 3 + 0] - x1;
      const float dy = dataset[k * 3 + 1] - y1;
      const float dz = dataset[k * 3 + 2] - z1;
      const float d2 = fminf(dx * dx + dy * dy + dz * dz, temp[k]);
      temp[k] = d2;
      if (d2 > furthest) {
        furthest = d2;
        furthest_index = k;
      }
    }
    best_distance[tid] = furthest;
    best_index[tid] = furthest_index;
    __syncthreads();

    for (unsigned half = block_size / 2; half > 0; half /= 2) {
      if (tid < static_cast<int>(half)) {
        const float other = best_distance[tid + half];
        const int other_index = best_index[tid + half];
        if (other > best_distance[tid] ||
            (other == best_distance[tid] && other_index < best_index[tid])) {
          best_distance[tid] = other;
          best_index[tid] = other_index;
        }
      }
      __syncthreads();
    }
    chosen = best_index[0];
    if (tid == 0) idxs[j] = chosen;
    __syncthreads();
  }
}

static std::vector<int> reference(const float* points, int n, int m) {
  std::vector<double> distance(n, 1e10);
  std::vector<int> chosen(1, 0);
  while (static_cast<int>(chosen.size()) < m) {
    const float* last = points + chosen.back() * 3;
    int best = 0;
    for (int k = 0; k < n; ++k) {
      double d2 = 0;
      for (int axis = 0; axis < 3; ++axis)
        d2 += double(points[k * 3 + axis] - last[axis]) * (points[k * 3 + axis] - last[axis]);
      distance[k] = std::min(distance[k], d2);
      if (distance[k] > distance[best]) best = k;
    }
    chosen.push_back(best);
  }
  return chosen;
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int b = sample::by_shape(shape, 2, 2, 8);
  const int n = sample::by_shape(shape, 512, 64, 65536);
  const int m = sample::by_shape(shape, 32, 16, 1024);

  std::mt19937 random(3);
  const auto points = sample::exact_coordinates(size_t(b) * n * 3, random);
  sample::Buffer<float> d_points(points), d_temp(std::vector<float>(size_t(b) * n, 1e10f));
  sample::Buffer<int> d_idxs(size_t(b) * m);
  sample::EventTimer timer;
  timer.start();
  furthest_point_sample<256><<<b, 256>>>(b, n, m, d_points.get(), d_temp.get(), d_idxs.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto idxs = d_idxs.read();
  bool passed = true;
  for (int batch = 0; batch < b; ++batch) {
    const auto expected = reference(&points[size_t(batch) * n * 3], n, m);
    passed = passed && std::equal(expected.begin(), expected.end(), &idxs[size_t(batch) * m]);
  }
  return sample::report("furthest_point_sample", passed, ms) ? 0 : 1;
}

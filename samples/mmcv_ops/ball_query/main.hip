// For each query, the first points found in a shell around it.
#include "../operator.h"

// One thread serves one query; idx (b, m, nsample) gets the first nsample points, in order, whose
// squared distance is 0 or in [min_radius^2, max_radius^2); places left over repeat the first one,
// and a query with none keeps zeros. new_xyz: (b, m, 3); xyz: (b, n, 3).
__global__ void ball_query(int b, int n, int m, float min_radius, float max_radius, int nsample,
                           const float* new_xyz, const float* xyz, int* idx) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  const int batch = blockIdx.y;
  if (query >= m || batch >= b) return;
  new_xyz += (size_t(batch) * m + query) * 3;
  xyz += size_t(batch) * n * 3;
  idx += (size_t(batch) * m + query) * nsample;

  int count = 0;
  for (int k = 0; k < n; ++k) {
    const float dx = new_xyz[0] - xyz[k * 3 + 0];
    const float dy = new_xyz[1] - xyz[k * 3 + 1];
    const float dz = new_xyz[2] - xyz[k * 3 + 2];
    const float d2 = dx * dx + dy * dy + dz * dz;
    if (d2 == 0 || (d2 >= min_radius * min_radius && d2 < max_radius * max_radius)) {
      if (count == 0) {
        for (int l = 0; l < nsample; ++l) idx[l] = k;
      }
      idx[count] = k;
      ++count;
      if (count >= nsample) break;
    }
  }
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int b = sample::by_shape(shape, 2, 4, 16);
  const int n = sample::by_shape(shape, 1024, 16384, 65536);
  const int m = sample::by_shape(shape, 256, 2048, 2048);
  const int nsample = 5;
  const float min_radius = 0.5f, max_radius = 2.0f;

  std::mt19937 random(2);
  const auto xyz = sample::exact_coordinates(size_t(b) * n * 3, random, 128);
  const auto new_xyz = sample::exact_coordinates(size_t(b) * m * 3, random, 128);
  sample::Buffer<float> d_xyz(xyz), d_new_xyz(new_xyz);
  sample::Buffer<int> d_idx(std::vector<int>(size_t(b) * m * nsample, 0));
  sample::EventTimer timer;
  timer.start();
  ball_query<<<dim3(sample::blocks_for(m, 256), b), 256>>>(
      b, n, m, min_radius, max_radius, nsample, d_new_xyz.get(), d_xyz.get(), d_idx.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto idx = d_idx.read();
  bool passed = true;
  for (int batch = 0; batch < b; ++batch) {
    for (int query = 0; query < m; ++query) {
      const float* center = &new_xyz[(size_t(batch) * m + query) * 3];
      std::vector<int> found;
      for (int k = 0; k < n && found.size() < size_t(nsample); ++k) {
        const float* point = &xyz[(size_t(batch) * n + k) * 3];
        double d2 = 0;
        for (int axis = 0; axis < 3; ++axis)
          d2 += double(center[axis] - point[axis]) * (center[axis] - point[axis]);
        if (d2 == 0 || (d2 >= min_radius * min_radius && d2 < max_radius * max_radius))
          found.push_back(k);
      }
      found.resize(nsample, found.empty() ? 0 : found.front());
      passed = passed &&
               std::equal(found.begin(), found.end(), &idx[(size_t(batch) * m + query) * nsample]);
    }
  }
  return sample::report("ball_query", passed, ms) ? 0 : 1;
}

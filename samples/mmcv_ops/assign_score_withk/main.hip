// Weighted sum of the differences between each neighbour's and the centre's features.
#include "../operator.h"

// One thread computes one output (b, o, n, k):
//   out = sum over m of (points[b, neighbour, m, o] - centers[b, centre, m, o]) * scores[b, n, k,
//   m]
// points, centers: (B, N0, M, O); scores: (B, N1, K, M); knn_idx: (B, N1, K); out: (B, O, N1, K).
// The first of the K neighbours is the centre. aggregate: 0 sums over m, the only way so far.
__global__ void assign_score_withk(int B, int N0, int N1, int M, int K, int O, int aggregate,
                                   const float* points, const float* centers, const float* scores,
                                   const int64_t* knn_idx, float* out) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size_t(B) * O * N1 * K || aggregate != 0) return;
  const int k = i % K;
  const int n = (i / K) % N1;
  const int o = (i / K / N1) % O;
  const int b = i / K / N1 / O;

  float sum = 0;
  for (int m = 0; m < M; ++m) {
    const int64_t centre = knn_idx[(size_t(b) * N1 + n) * K];
    const int64_t neighbour = knn_idx[(size_t(b) * N1 + n) * K + k];
    const float score = scores[((size_t(b) * N1 + n) * K + k) * M + m];
    const float point = points[((size_t(b) * N0 + neighbour) * M + m) * O + o];
    const float center = centers[((size_t(b) * N0 + centre) * M + m) * O + o];
    sum += (point - center) * score;
  }
  out[i] = sum;
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int B = sample::by_shape(shape, 1, 2, 8);
  const int N0 = sample::by_shape(shape, 128, 1024, 4096);
  const int N1 = sample::by_shape(shape, 32, 512, 2048);
  const int K = sample::by_shape(shape, 16, 64, 64);
  const int M = sample::by_shape(shape, 8, 16, 16);
  const int O = sample::by_shape(shape, 16, 128, 128);

  std::mt19937 random(1);
  const auto points = sample::uniform_floats(size_t(B) * N0 * M * O, random, -1, 1);
  const auto centers = sample::uniform_floats(points.size(), random, -1, 1);
  const auto scores = sample::uniform_floats(size_t(B) * N1 * K * M, random, 0, 1);
  const auto indices = sample::random_indices(size_t(B) * N1 * K, random, N0);
  const std::vector<int64_t> knn(indices.begin(), indices.end());

  sample::Buffer<float> d_points(points), d_centers(centers), d_scores(scores);
  sample::Buffer<int64_t> d_knn(knn);
  sample::Buffer<float> d_out(size_t(B) * O * N1 * K);
  sample::EventTimer timer;
  timer.start();
  assign_score_withk<<<sample::blocks_for(size_t(B) * O * N1 * K, 256), 256>>>(
      B, N0, N1, M, K, O, 0, d_points.get(), d_centers.get(), d_scores.get(), d_knn.get(),
      d_out.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto out = d_out.read();
  const size_t step = shape == sample::Shape::kSmall ? 1 : 997;  // a prime: all parts are sampled
  bool passed = true;
  for (size_t i = 0; i < out.size(); i += step) {
    const size_t k = i % K, n = i / K % N1, o = i / K / N1 % O, b = i / K / N1 / O;
    const size_t pair = (b * N1 + n) * K;
    double sum = 0;
    for (int m = 0; m < M; ++m)
      sum += (double(points[((b * N0 + knn[pair + k]) * M + m) * O + o]) -
              centers[((b * N0 + knn[pair]) * M + m) * O + o]) *
             scores[(pair + k) * M + m];
    passed = passed && sample::close_to(out[i], sum, 1e-5);
  }
  return sample::report("assign_score_withk", passed, ms) ? 0 : 1;
}

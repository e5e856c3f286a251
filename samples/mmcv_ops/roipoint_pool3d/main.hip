// For each box, a fixed number of the points in it with their coordinates and features.
#include "../box.h"

// One thread serves one (point, box): assign[b, p, k] is 1 where box k holds point p.
// xyz: (batch, pts_num, 3); boxes3d: (batch, boxes_num, 7); assign: (batch, pts_num, boxes_num).
__global__ void assign_pts_to_box3d(int batch, int pts_num, int boxes_num, const float* xyz,
                                    const float* boxes3d, int* pts_assign) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = blockIdx.y;
  const int b = blockIdx.z;
  if (p >= pts_num || k >= boxes_num || b >= batch) return;
  float local_x = 0, local_y = 0;
  const bool inside =
      sample::point_in_box(xyz + (size_t(b) * pts_num + p) * 3,
                           boxes3d + (size_t(b) * boxes_num + k) * 7, &local_x, &local_y);
  pts_assign[(size_t(b) * pts_num + p) * boxes_num + k] = inside ? 1 : 0;
}

// One thread serves one box: pts_idx gets the first `sampled` points of the box, in order, repeated
// from the start when there are fewer; empty_flag is 1 for a box with none.
__global__ void get_pooled_idx(int batch, int pts_num, int boxes_num, int sampled,
                               const int* pts_assign, int* pts_idx, int* empty_flag) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int b = blockIdx.y;
  if (k >= boxes_num || b >= batch) return;
  pts_idx += (size_t(b) * boxes_num + k) * sampled;
  int count = 0;
  for (int p = 0; p < pts_num && count < sampled; ++p) {
    if (pts_assign[(size_t(b) * pts_num + p) * boxes_num + k] == 0) continue;
    pts_idx[count] = p;
    ++count;
  }
  empty_flag[b * boxes_num + k] = count == 0 ? 1 : 0;
  if (count == 0) return;
  for (int i = count; i < sampled; ++i) pts_idx[i] = pts_idx[i % count];
}

// One thread copies one sampled point: pooled (batch, boxes_num, sampled, 3 + features),
// coordinates first, zeros for an empty box.
__global__ void roipoint_pool3d(int batch, int pts_num, int boxes_num, int features, int sampled,
                                const float* xyz, const int* pts_idx, const float* pts_feature,
                                float* pooled, const int* empty_flag) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = blockIdx.y;
  const int b = blockIdx.z;
  if (i >= sampled || k >= boxes_num || b >= batch) return;
  const size_t slot = (size_t(b) * boxes_num + k) * sampled + i;
  float* out = pooled + slot * (3 + features);
  if (empty_flag[b * boxes_num + k]) {
    for (int j = 0; j < 3 + features; ++j) out[j] = 0;
    return;
  }
  const size_t source = size_t(b) * pts_num + pts_idx[slot];
  for (int j = 0; j < 3; ++j) out[j] = xyz[source * 3 + j];
  for (int j = 0; j < features; ++j) out[3 + j] = pts_feature[source * features + j];
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int batch = sample::by_shape(shape, 2, 2, 8);
  const int pts_num = sample::by_shape(shape, 2000, 5000, 65536);
  const int boxes_num = sample::by_shape(shape, 8, 8, 64);
  const int features = 6;
  const int sampled = sample::by_shape(shape, 64, 512, 512);

  std::mt19937 random(10);
  const auto xyz = sample::uniform_floats(size_t(batch) * pts_num * 3, random, -20, 20);
  const auto feature = sample::uniform_floats(size_t(batch) * pts_num * features, random, -1, 1);
  auto boxes = sample::random_boxes(size_t(batch) * boxes_num, random);
  boxes[0] = 500;  // one box far from every point
  sample::Buffer<float> d_xyz(xyz), d_feature(feature), d_boxes(boxes);
  sample::Buffer<int> d_assign(size_t(batch) * pts_num * boxes_num);
  sample::Buffer<int> d_idx(size_t(batch) * boxes_num * sampled),
      d_empty(size_t(batch) * boxes_num);
  sample::Buffer<float> d_pooled(size_t(batch) * boxes_num * sampled * (3 + features));

  sample::EventTimer timer;
  timer.start();
  assign_pts_to_box3d<<<dim3(sample::blocks_for(pts_num, 256), boxes_num, batch), 256>>>(
      batch, pts_num, boxes_num, d_xyz.get(), d_boxes.get(), d_assign.get());
  get_pooled_idx<<<dim3(sample::blocks_for(boxes_num, 256), batch), 256>>>(
      batch, pts_num, boxes_num, sampled, d_assign.get(), d_idx.get(), d_empty.get());
  roipoint_pool3d<<<dim3(sample::blocks_for(sampled, 256), boxes_num, batch), 256>>>(
      batch, pts_num, boxes_num, features, sampled, d_xyz.get(), d_idx.get(), d_feature.get(),
      d_pooled.get(), d_empty.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto assign = d_assign.read(), empty = d_empty.read();
  const auto pooled = d_pooled.read();
  bool passed = empty[0] == 1;
  for (int box = 0; box < batch * boxes_num; ++box) {
    const size_t first_point = size_t(box / boxes_num) * pts_num;
    std::vector<size_t> inside;
    for (int p = 0; p < pts_num; ++p) {
      const double depth = sample::depth_in_box(&xyz[(first_point + p) * 3], &boxes[box * 7]);
      const int flag = assign[(first_point + p) * boxes_num + box % boxes_num];
      if (std::abs(depth) >= sample::kUndefinedDepth)
        passed = passed && flag == (depth > 0 ? 1 : 0);
      if (flag == 1) inside.push_back(first_point + p);
    }
    passed = passed && empty[box] == (inside.empty() ? 1 : 0);
    const size_t count = std::min<size_t>(inside.size(), sampled);
    for (int i = 0; i < sampled; ++i) {
      const float* got = &pooled[(size_t(box) * sampled + i) * (3 + features)];
      for (int j = 0; j < 3 + features; ++j) {
        float expected = 0;
        if (count > 0) {
          const size_t source = inside[i % count];
          expected = j < 3 ? xyz[source * 3 + j] : feature[source * features + j - 3];
        }
        passed = passed && got[j] == expected;
      }
    }
  }
  return sample::report("roipoint_pool3d", passed, ms) ? 0 : 1;
}

// Pools the features of the points in each box into a grid of voxels in the box's own axes.
#include "../box.h"

constexpr int kVoxels = 4;  // along each axis

// One thread serves one (box, point): mask[box, point] is the point's voxel packed as
// x << 16 | y << 8 | z, or -1 when it lies outside. rois: (boxes_num, 7); pts: (pts_num, 3).
__global__ void generate_pts_mask(int boxes_num, int pts_num, int out_x, int out_y, int out_z,
                                  const float* rois, const float* pts, int* pts_mask) {
  const int pt = blockIdx.x * blockDim.x + threadIdx.x;
  const int box = blockIdx.y;
  if (pt >= pts_num || box >= boxes_num) return;
  pts += pt * 3;
  rois += box * 7;
  pts_mask += size_t(box) * pts_num + pt;

  float local_x = 0, local_y = 0;
  pts_mask[0] = -1;
  if (sample::point_in_box(pts, rois, &local_x, &local_y)) {
    const float local_z = pts[2] - rois[2];
    const int x = int((local_x + rois[3] / 2) / (rois[3] / out_x));
    const int y = int((local_y + rois[4] / 2) / (rois[4] / out_y));
    const int z = int(local_z / (rois[5] / out_z));
    const unsigned vx = min(max(x, 0), out_x - 1);
    const unsigned vy = min(max(y, 0), out_y - 1);
    const unsigned vz = min(max(z, 0), out_z - 1);
    pts_mask[0] = (vx << 16) + (vy << 8) + vz;
  }
}

// One thread serves one box: lists, in order, the points of each voxel, at most max_pts - 1 of
// them; the first entry of a voxel's list is their number. voxels: (boxes_num, x, y, z, max_pts),
// zeroed.
__global__ void collect_inside_pts(int boxes_num, int pts_num, int max_pts, int out_x, int out_y,
                                   int out_z, const int* pts_mask, int* pts_idx_of_voxels) {
  const int box = blockIdx.x * blockDim.x + threadIdx.x;
  if (box >= boxes_num) return;
  const int max_num = max_pts - 1;
  pts_idx_of_voxels += size_t(box) * out_x * out_y * out_z * max_pts;
  for (int k = 0; k < pts_num; ++k) {
    const int encoded = pts_mask[size_t(box) * pts_num + k];
    if (encoded == -1) continue;
    const unsigned x = (encoded >> 16) & 0xff;
    const unsigned y = (encoded >> 8) & 0xff;
    const unsigned z = encoded & 0xff;
    const size_t base = ((size_t(x) * out_y + y) * out_z + z) * max_pts;
    const int count = pts_idx_of_voxels[base];
    if (count < max_num) {
      pts_idx_of_voxels[base + count + 1] = k;
      pts_idx_of_voxels[base]++;
    }
  }
}

// One thread computes one (box, voxel, channel). pts_feature: (pts_num, channels);
// pooled: (boxes_num, x, y, z, channels), 0 where a voxel is empty; argmax: same shape, -1 there.
__global__ void roiaware_maxpool3d(int boxes_num, int channels, int max_pts, int voxels,
                                   const float* pts_feature, const int* pts_idx_of_voxels,
                                   float* pooled, int* argmax) {
  const int voxel = blockIdx.x * blockDim.x + threadIdx.x;
  const int channel = blockIdx.y;
  const int box = blockIdx.z;
  if (voxel >= voxels || channel >= channels || box >= boxes_num) return;
  pts_idx_of_voxels += (size_t(box) * voxels + voxel) * max_pts;
  const size_t out = (size_t(box) * voxels + voxel) * channels + channel;
  int best = -1;
  float best_value = -1e30f;
  for (int k = 1; k <= pts_idx_of_voxels[0]; ++k) {
    const float value = pts_feature[size_t(pts_idx_of_voxels[k]) * channels + channel];
    if (value > best_value) {
      best_value = value;
      best = pts_idx_of_voxels[k];
    }
  }
  pooled[out] = best < 0 ? 0.0f : best_value;
  argmax[out] = best;
}

// The same with the mean of the points' features.
__global__ void roiaware_avgpool3d(int boxes_num, int channels, int max_pts, int voxels,
                                   const float* pts_feature, const int* pts_idx_of_voxels,
                                   float* pooled) {
  const int voxel = blockIdx.x * blockDim.x + threadIdx.x;
  const int channel = blockIdx.y;
  const int box = blockIdx.z;
  if (voxel >= voxels || channel >= channels || box >= boxes_num) return;
  pts_idx_of_voxels += (size_t(box) * voxels + voxel) * max_pts;
  float sum = 0;
  const int count = pts_idx_of_voxels[0];
  for (int k = 1; k <= count; ++k)
    sum += pts_feature[size_t(pts_idx_of_voxels[k]) * channels + channel];
  pooled[(size_t(box) * voxels + voxel) * channels + channel] = count > 0 ? sum / count : 0.0f;
}

// Checks each stage against the one before it as the GPU left it, so that a point within rounding
// of a face changes no later expectation.
static bool check_mask(const std::vector<int>& mask, const std::vector<float>& rois,
                       const std::vector<float>& pts) {
  const size_t pts_num = pts.size() / 3;
  size_t inside = 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    const double depth = sample::depth_in_box(&pts[i % pts_num * 3], &rois[i / pts_num * 7]);
    if (std::abs(depth) < sample::kUndefinedDepth) continue;
    if ((mask[i] >= 0) != (depth > 0)) return false;
    if (mask[i] < 0) continue;
    ++inside;
    const float* box = &rois[i / pts_num * 7];
    const float* point = &pts[i % pts_num * 3];
    const double cosa = std::cos(-double(box[6])), sina = std::sin(-double(box[6]));
    const double sx = double(point[0]) - box[0], sy = double(point[1]) - box[1];
    const double place[3] = {(sx * cosa - sy * sina) / box[3] + 0.5,
                             (sx * sina + sy * cosa) / box[4] + 0.5,
                             (double(point[2]) - box[2]) / box[5]};
    for (int axis = 0; axis < 3; ++axis) {
      const int voxel = mask[i] >> (16 - 8 * axis) & 0xff;
      const double scaled = place[axis] * kVoxels;
      if (scaled < voxel - 1e-4 || scaled > voxel + 1 + 1e-4) return false;
    }
  }
  return inside > 0;
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int boxes_num = sample::by_shape(shape, 16, 100, 512);
  const int pts_num = sample::by_shape(shape, 4000, 20000, 200000);
  const int channels = sample::by_shape(shape, 4, 16, 16);
  const int max_pts = 128;
  const int voxels = kVoxels * kVoxels * kVoxels;

  std::mt19937 random(9);
  const auto rois = sample::random_boxes(boxes_num, random);
  const auto pts = sample::uniform_floats(size_t(pts_num) * 3, random, -20, 20);
  const auto features = sample::uniform_floats(size_t(pts_num) * channels, random, -1, 1);
  sample::Buffer<float> d_rois(rois), d_pts(pts), d_features(features);
  sample::Buffer<int> d_mask(size_t(boxes_num) * pts_num);
  sample::Buffer<int> d_lists(std::vector<int>(size_t(boxes_num) * voxels * max_pts, 0));
  sample::Buffer<float> d_max(size_t(boxes_num) * voxels * channels);
  sample::Buffer<float> d_avg(size_t(boxes_num) * voxels * channels);
  sample::Buffer<int> d_argmax(size_t(boxes_num) * voxels * channels);

  sample::EventTimer timer;
  timer.start();
  generate_pts_mask<<<dim3(sample::blocks_for(pts_num, 256), boxes_num), 256>>>(
      boxes_num, pts_num, kVoxels, kVoxels, kVoxels, d_rois.get(), d_pts.get(), d_mask.get());
  collect_inside_pts<<<sample::blocks_for(boxes_num, 256), 256>>>(
      boxes_num, pts_num, max_pts, kVoxels, kVoxels, kVoxels, d_mask.get(), d_lists.get());
  const dim3 pool_grid(sample::blocks_for(voxels, 256), channels, boxes_num);
  roiaware_maxpool3d<<<pool_grid, 256>>>(boxes_num, channels, max_pts, voxels, d_features.get(),
                                         d_lists.get(), d_max.get(), d_argmax.get());
  roiaware_avgpool3d<<<pool_grid, 256>>>(boxes_num, channels, max_pts, voxels, d_features.get(),
                                         d_lists.get(), d_avg.get());
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto mask = d_mask.read();
  const auto lists = d_lists.read();
  const auto maxima = d_max.read(), means = d_avg.read();
  const auto argmax = d_argmax.read();
  bool passed = check_mask(mask, rois, pts);
  for (int box = 0; box < boxes_num; ++box) {
    std::vector<std::vector<int>> expected(voxels);
    for (int k = 0; k < pts_num; ++k) {
      const int code = mask[size_t(box) * pts_num + k];
      if (code < 0) continue;
      auto& list =
          expected[((code >> 16) * kVoxels + (code >> 8 & 0xff)) * kVoxels + (code & 0xff)];
      if (list.size() < size_t(max_pts - 1)) list.push_back(k);
    }
    for (int voxel = 0; voxel < voxels; ++voxel) {
      const auto& list = expected[voxel];
      const int* got = &lists[(size_t(box) * voxels + voxel) * max_pts];
      passed =
          passed && got[0] == int(list.size()) && std::equal(list.begin(), list.end(), got + 1);
      for (int channel = 0; channel < channels; ++channel) {
        const size_t out = (size_t(box) * voxels + voxel) * channels + channel;
        double sum = 0;
        int best = -1;
        for (int k : list) {
          const float value = features[size_t(k) * channels + channel];
          sum += value;
          if (best < 0 || value > features[size_t(best) * channels + channel]) best = k;
        }
        passed = passed && argmax[out] == best &&
                 maxima[out] == (best < 0 ? 0 : features[size_t(best) * channels + channel]) &&
                 sample::close_to(means[out], list.empty() ? 0 : sum / list.size(), 1e-5);
      }
    }
  }
  return sample::report("roiaware_pool3d", passed, ms) ? 0 : 1;
}

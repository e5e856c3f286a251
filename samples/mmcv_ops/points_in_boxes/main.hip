// Which box holds each point ("part"), and all boxes that hold it ("all").
#include "../box.h"

// One thread serves one point: out[b, p] is the first box that holds it, or -1.
// boxes: (batch, boxes_num, 7); pts: (batch, pts_num, 3); out: (batch, pts_num).
__global__ void points_in_boxes_part(int batch, int boxes_num, int pts_num, const float* boxes,
                                     const float* pts, int* out) {
  const int b = blockIdx.y;
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch || p >= pts_num) return;
  boxes += size_t(b) * boxes_num * 7;
  pts += (size_t(b) * pts_num + p) * 3;
  out += size_t(b) * pts_num + p;
  float local_x = 0, local_y = 0;
  int found = -1;
  for (int k = 0; k < boxes_num; ++k) {
    if (sample::point_in_box(pts, boxes + k * 7, &local_x, &local_y)) {
      found = k;
      break;
    }
  }
  out[0] = found;
}

// One thread serves one point: out[b, p, k] is 1 where box k holds it, else 0.
__global__ void points_in_boxes_all(int batch, int boxes_num, int pts_num, const float* boxes,
                                    const float* pts, int* out) {
  const int b = blockIdx.y;
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch || p >= pts_num) return;
  boxes += size_t(b) * boxes_num * 7;
  pts += (size_t(b) * pts_num + p) * 3;
  out += (size_t(b) * pts_num + p) * boxes_num;
  float local_x = 0, local_y = 0;
  for (int k = 0; k < boxes_num; ++k) {
    out[k] = sample::point_in_box(pts, boxes + k * 7, &local_x, &local_y) ? 1 : 0;
  }
}

int main(int argc, char** argv) {
  const sample::Shape shape = sample::parse_shape(argc, argv);
  const int batch = 2;
  const int boxes_num = sample::by_shape(shape, 24, 2, 128);
  const int pts_num = sample::by_shape(shape, 4096, 15, 1 << 19);

  std::mt19937 random(8);
  const auto boxes = sample::random_boxes(size_t(batch) * boxes_num, random);
  const auto pts = sample::uniform_floats(size_t(batch) * pts_num * 3, random, -20, 20);
  sample::Buffer<float> d_boxes(boxes), d_pts(pts);
  sample::Buffer<int> d_part(size_t(batch) * pts_num), d_all(size_t(batch) * pts_num * boxes_num);
  const dim3 grid(sample::blocks_for(pts_num, 256), batch);
  sample::EventTimer timer;
  timer.start();
  points_in_boxes_part<<<grid, 256>>>(batch, boxes_num, pts_num, d_boxes.get(), d_pts.get(),
                                      d_part.get());
  const float part_ms = timer.stop_ms();
  timer.start();
  points_in_boxes_all<<<grid, 256>>>(batch, boxes_num, pts_num, d_boxes.get(), d_pts.get(),
                                     d_all.get());
  HIP_CHECK(hipGetLastError());
  const float all_ms = timer.stop_ms();

  const auto part = d_part.read();
  const auto all = d_all.read();
  bool part_passed = true, all_passed = true;
  for (int i = 0; i < batch * pts_num; ++i) {
    int first = -1;
    bool defined = true;
    for (int k = 0; k < boxes_num; ++k) {
      const double depth =
          sample::depth_in_box(&pts[size_t(i) * 3], &boxes[(i / pts_num * boxes_num + k) * 7]);
      const int flag = all[size_t(i) * boxes_num + k];
      if (std::abs(depth) < sample::kUndefinedDepth) {
        defined = false;
        all_passed = all_passed && (flag == 0 || flag == 1);
        continue;
      }
      all_passed = all_passed && flag == (depth > 0 ? 1 : 0);
      if (depth > 0 && first < 0) first = k;
    }
    part_passed = part_passed && (!defined || part[i] == first);
  }
  const bool one = sample::report("points_in_boxes_part", part_passed, part_ms);
  const bool two = sample::report("points_in_boxes_all", all_passed, all_ms);
  return one && two ? 0 : 1;
}

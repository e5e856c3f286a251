// For each point, whether an earlier one shares its voxel, and how many do.
#include "../mmcv_ops/operator.h"

#include <array>
#include <map>

// One thread serves one point. coor: (num_points, 3) voxel coordinates, x = -1 marks a point
// outside. point_to_pointidx: the first earlier point in the same voxel, or the point itself;
// point_to_voxelidx: how many earlier points are in the voxel, or -1 when that is max_points or
// more (the point is dropped) or the point lies outside.
__global__ void point_to_voxelidx(const int* coor, int* point_to_voxelidx, int* point_to_pointidx,
                                  int max_points, int max_voxels, int num_points, int NDim) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= num_points) return;
  const int* own = coor + size_t(index) * NDim;
  if (own[0] == -1) return;

  int num = 0;
  const int x = own[0];
  const int y = own[1];
  const int z = own[2];
  for (int i = 0; i < index; ++i) {
    const int* previous = coor + size_t(i) * NDim;
    if (previous[0] == -1) continue;
    if (previous[0] == x && previous[1] == y && previous[2] == z) {
      ++num;
      if (num == 1) {
        point_to_pointidx[index] = i;
      } else if (num >= max_points) {
        break;
      }
    }
  }
  if (num == 0) point_to_pointidx[index] = index;
  if (num < max_points) point_to_voxelidx[index] = num;
}

int main(int argc, char** argv) {
  const sample::Options options =
      sample::parse_options(argc, argv, 4000, 1, 1u << 20, "points of the cloud");
  const int count = options.size;
  const int max_points = 5;
  const int dims = 3;
  std::mt19937 random(options.seed);
  // About ten points a voxel, so that some exceed max_points, and one point of twenty outside.
  const int side = std::max(2, int(std::cbrt(count / 10.0)));
  std::vector<int> coor(size_t(count) * dims);
  for (int i = 0; i < count; ++i) {
    const bool outside = random() % 20 == 0;
    for (int axis = 0; axis < dims; ++axis)
      coor[size_t(i) * dims + axis] = outside ? -1 : int(random() % side);
  }
  sample::Buffer<int> d_coor(coor);
  sample::Buffer<int> d_voxel(std::vector<int>(count, -1)), d_point(std::vector<int>(count, -1));
  sample::EventTimer timer;
  timer.start();
  point_to_voxelidx<<<sample::blocks_for(count, 256), 256>>>(
      d_coor.get(), d_voxel.get(), d_point.get(), max_points, 20000, count, dims);
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto voxel = d_voxel.read(), point = d_point.read();
  std::map<std::array<int, 3>, std::vector<int>> earlier;
  bool passed = true;
  for (int i = 0; i < count; ++i) {
    const int* own = &coor[size_t(i) * dims];
    if (own[0] == -1) {
      passed = passed && voxel[i] == -1 && point[i] == -1;
      continue;
    }
    auto& same = earlier[{own[0], own[1], own[2]}];
    const int num = int(same.size());
    passed = passed && point[i] == (num == 0 ? i : same.front()) &&
             voxel[i] == (num < max_points ? num : -1);
    same.push_back(i);
  }
  return sample::report("point_to_voxelidx", passed, ms) ? 0 : 1;
}

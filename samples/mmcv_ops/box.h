// A rotated three-dimensional box, as LiDAR detection uses it: centre of the bottom face, sizes,
// rotation about z: {x, y, z, dx, dy, dz, angle}.
#pragma once

#include "operator.h"

namespace sample {

constexpr int kBoxValues = 7;

// Whether a point lies in a box; local_x and local_y are its position in the box's own axes.
__host__ __device__ inline bool point_in_box(const float* point, const float* box, float* local_x,
                                             float* local_y) {
  const float z = box[2] + box[5] / 2.0f;
  if (fabsf(point[2] - z) > box[5] / 2.0f) return false;
  const float cosa = cosf(-box[6]);
  const float sina = sinf(-box[6]);
  const float shift_x = point[0] - box[0];
  const float shift_y = point[1] - box[1];
  *local_x = shift_x * cosa - shift_y * sina;
  *local_y = shift_x * sina + shift_y * cosa;
  return *local_x > -box[3] / 2.0f && *local_x < box[3] / 2.0f && *local_y > -box[4] / 2.0f &&
         *local_y < box[4] / 2.0f;
}

// Boxes in a cube of 40 m, of 2 to 8 m each side.
inline std::vector<float> random_boxes(size_t count, std::mt19937& random) {
  std::vector<float> boxes;
  for (size_t i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis) boxes.push_back(uniform_floats(1, random, -16, 16)[0]);
    for (int axis = 0; axis < 3; ++axis) boxes.push_back(uniform_floats(1, random, 2, 8)[0]);
    boxes.push_back(uniform_floats(1, random, -3, 3)[0]);
  }
  return boxes;
}

// How far inside a box a point is, in double; negative outside. A float answer nearer to the face
// than its rounding is not defined, and checks pass over it.
inline double depth_in_box(const float* point, const float* box) {
  const double cosa = std::cos(-double(box[6])), sina = std::sin(-double(box[6]));
  const double sx = double(point[0]) - box[0], sy = double(point[1]) - box[1];
  const double x = sx * cosa - sy * sina, y = sx * sina + sy * cosa;
  const double z = double(point[2]) - (box[2] + box[5] / 2.0);
  return std::min(
      {box[3] / 2.0 - std::abs(x), box[4] / 2.0 - std::abs(y), box[5] / 2.0 - std::abs(z)});
}

constexpr double kUndefinedDepth = 1e-4;

}  // namespace sample

// Which of a kernel's recorded launches stand for the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/archive/reader.h"

namespace geak::replay {

struct ShapedLaunch {
  std::size_t index = 0;  // among the kernel's launches, in the archive's order
  std::uint64_t work_items = 0;
  std::string text;  // "65536 work-items in workgroups of 256x1x1"
};

// The largest launch of each shape (size of a workgroup, dynamic LDS, cooperative or not), the
// largest of all first. `among`: the launches that count, by their index.
std::vector<ShapedLaunch> largest_of_each_shape(const std::vector<LaunchRecord>& launches,
                                                const std::string& kernel,
                                                const std::vector<std::size_t>& among);

}  // namespace geak::replay

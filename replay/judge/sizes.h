// Launches of other sizes than the recorded one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replay/code_object/kernel_metadata.h"
#include "replay/replayer/image.h"

namespace geak::replay {

// One or more integer arguments of the same value that say how much there is to do, because the
// grid or the memory is as large as they say.
struct SizeArgument {
  std::vector<std::uint32_t> offsets;  // in the kernarg bytes
  std::uint32_t bytes = 4;             // of each
  std::int64_t value = 0;
  // Axes of the grid that have as many workgroups as it takes for `value` items, `items` each; 0
  // items: one workgroup an item.
  struct Axis {
    int axis = 0;
    std::uint32_t items = 0;
  };
  std::vector<Axis> axes;
  // Regions that hold exactly (value + extra) elements, so that they can grow with it.
  struct Extent {
    std::size_t region = 0;
    std::uint64_t displacement = 0, element_bytes = 0;
    std::int64_t extra = 0;
  };
  std::vector<Extent> extents;
  std::string name;  // for people: "argument 4"
};

// `types`: source types of the parameters where known (see TrialSpec): a float is no size.
std::vector<SizeArgument> find_sizes(const LaunchRecord& launch, const KernelMetadata& kernel,
                                     const std::vector<std::string>& types);

struct OtherLaunch {
  LaunchRecord record;  // arguments, grid and bytes of the regions as for that size
  Image before;
  std::string what;  // "size 999 in place of 1000 (argument 4)"
};

// The launch with this size. Memory stays as it is where the size shrinks; where it grows, regions
// of exactly that size grow with it, and their new elements repeat the recorded ones. None where
// the memory can't grow with it.
std::optional<OtherLaunch> resized(const LaunchRecord& launch, const Image& before,
                                   const SizeArgument& size, std::int64_t value);

// Its arguments, grid and bytes of the regions alone.
std::optional<LaunchRecord> resized_launch(const LaunchRecord& launch, const SizeArgument& size,
                                           std::int64_t value);

// Sizes worth trying: one, odd, no multiple of the block, one less and one more; of small launches
// more than twice as many, of tiny ones five times.
std::vector<std::int64_t> sizes_to_try(const LaunchRecord& launch, const SizeArgument& size);

// Of these, in their place, the nearest sizes at which a candidate runs (`takes`), where its
// conditions leave it to the original at some; and sizes that its conditions name
// (`compared_with`), so that none hides among those that nobody would try.
std::vector<std::int64_t> sizes_that_run(const LaunchRecord& launch, const SizeArgument& size,
                                         const std::vector<std::int64_t>& compared_with,
                                         const std::function<bool(const LaunchRecord&)>& takes);

// The launch with every buffer one element further, so that none is aligned beyond its elements'
// own need.
OtherLaunch unaligned(const LaunchRecord& launch, const Image& before,
                      const std::vector<std::size_t>& element_bytes);

}  // namespace geak::replay

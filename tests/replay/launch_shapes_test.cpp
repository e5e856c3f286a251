#include "replay/launch_shapes.h"

#include <gtest/gtest.h>

namespace geak::replay {
namespace {

LaunchRecord launch(const char* kernel, std::uint32_t grid, std::uint32_t block,
                    std::uint32_t lds = 0) {
  LaunchRecord record;
  record.kernel = kernel;
  record.grid = {grid, 1, 1};
  record.block = {block, 1, 1};
  record.dynamic_lds = lds;
  return record;
}

TEST(LaunchShapes, TheLargestOfEachShapeStandsForTheOthers) {
  const std::vector<LaunchRecord> launches = {
      launch("other", 1 << 20, 64), launch("k", 64, 64),        launch("k", 4096, 256),
      launch("k", 640, 64),         launch("k", 640, 64),       launch("other", 64, 64),
      launch("k", 2048, 256),       launch("k", 8192, 256, 512)};
  const auto shapes = largest_of_each_shape(launches, "k", {0, 1, 2, 3, 4, 5});
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].index, 5u);  // among the launches of k alone
  EXPECT_EQ(shapes[0].text, "8192 work-items in workgroups of 256x1x1 with 512 bytes");
  EXPECT_EQ(shapes[1].index, 1u);
  EXPECT_EQ(shapes[2].index, 2u);
}

TEST(LaunchShapes, LaunchesThatACandidateDoesNotTakeStandForNone) {
  const std::vector<LaunchRecord> launches = {launch("k", 64, 64), launch("k", 640, 64),
                                              launch("k", 128, 64)};
  const auto shapes = largest_of_each_shape(launches, "k", {0, 2});
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].index, 2u);
}

TEST(LaunchShapes, AKernelWithoutLaunchesHasNone) {
  EXPECT_TRUE(largest_of_each_shape({launch("a", 64, 64)}, "b", {0}).empty());
}

}  // namespace
}  // namespace geak::replay

#include "replay/recorder/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace geak::replay {
namespace {

std::vector<int> kept(Sampler& sampler, const std::string& launch_class, int launches,
                      std::uint64_t bytes) {
  std::vector<int> result;
  for (int i = 1; i <= launches; ++i) {
    if (!sampler.wants(launch_class, "k")) continue;
    sampler.recorded(launch_class, bytes);
    result.push_back(i);
  }
  return result;
}

TEST(Sampler, KeepsEarlyAndLateLaunches) {
  Sampler sampler(SamplingLimits{});
  EXPECT_THAT(kept(sampler, "a", 1000, 1), testing::ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(kept(sampler, "b", 3, 1), testing::ElementsAre(1, 2));
}

TEST(Sampler, KeepsOneOfLaunchesThatReachMuchMemory) {
  Sampler sampler(SamplingLimits{});
  EXPECT_THAT(kept(sampler, "a", 100, 600ull << 20), testing::ElementsAre(1));
}

TEST(Sampler, ThinsOutManyClassesOfOneKernel) {
  Sampler sampler(SamplingLimits{});
  int recorded = 0;
  for (int i = 0; i < 1000; ++i) recorded += sampler.wants("class" + std::to_string(i), "k");
  EXPECT_GE(recorded, 24);
  EXPECT_LT(recorded, 40);
}

TEST(Sampler, CountsAllAndSaysWhatItLeftOut) {
  Sampler sampler(SamplingLimits{});
  kept(sampler, "a", 100, 1);
  sampler.skipped("k", "a reason");
  const auto summary = sampler.summary();
  ASSERT_EQ(summary.classes.size(), 1u);
  EXPECT_EQ(summary.classes[0].launches, 100u);
  EXPECT_THAT(summary.skipped,
              testing::ElementsAre("k: 6 of 100 launches kept", "k: a reason (1 time)"));
}

}  // namespace
}  // namespace geak::replay

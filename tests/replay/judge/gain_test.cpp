#include "replay/judge/gain.h"

#include <gtest/gtest.h>

namespace geak::replay {
namespace {

TEST(Gain, WeighsLaunchesByTheirTime) {
  const auto gain = judge_gain({{100, 50, 1}, {100, 100, 2}}, 1.05);
  EXPECT_TRUE(gain.enough);
  EXPECT_DOUBLE_EQ(gain.gain, 300.0 / 250.0);
}

TEST(Gain, AnyIsEnoughWhereNoneIsAskedFor) { EXPECT_TRUE(judge_gain({{100, 200, 1}}, 0).enough); }

TEST(Attack10TinyShape, OneShapeThatSkewsTheMeanIsNoGain) {
  const auto gain = judge_gain({{100, 1, 1}, {1e6, 1.01e6, 1}}, 1.05);
  EXPECT_FALSE(gain.enough);
  EXPECT_TRUE(gain.attack.starts_with("10"));
}

TEST(Attack12LaunchOverhead, TinyLaunchesAreNamed) {
  const auto gain = judge_gain({{4200, 4190, 1, 0, true}}, 1.05);
  EXPECT_FALSE(gain.enough);
  EXPECT_NE(gain.attack.find("12"), std::string::npos);
}

TEST(Attack30NoisyRuns, AGainWithinTheNoiseIsNone) {
  const auto gain = judge_gain({{110, 100, 1, 0.2}}, 1.02);
  EXPECT_FALSE(gain.enough);
  EXPECT_TRUE(gain.attack.starts_with("30"));
}

}  // namespace
}  // namespace geak::replay

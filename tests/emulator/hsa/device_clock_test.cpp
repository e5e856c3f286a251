#include "emulator/hsa/device_clock.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

TEST(DeviceClock, WorkFollowsWork) {
  DeviceClock clock;
  const auto first = clock.advance(1000, 50);
  EXPECT_EQ(first.start, 1000u);
  EXPECT_EQ(first.end, 1050u);
  const auto second = clock.advance(0, 7);  // ready long ago, but the engine was busy
  EXPECT_EQ(second.start, 1050u);
  EXPECT_EQ(second.end, 1057u);
}

TEST(DeviceClock, WaitsForWhatItDependsOn) {
  DeviceClock clock;
  clock.advance(0, 10);
  EXPECT_EQ(clock.advance(500, 1).start, 500u);
}

TEST(DeviceClock, NegativeTimeIsNone) {
  DeviceClock clock;
  EXPECT_EQ(clock.advance(5, -3).end, 5u);
}

TEST(HostClock, NeverGoesBack) {
  HostClock clock;
  clock.saw(10);
  clock.saw(5);
  EXPECT_EQ(clock.now(), 10u);
}

}  // namespace
}  // namespace geak::emulator

#include "emulator/model/occupancy.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

const DeviceDescription& mi210() { return *find_device("MI210"); }

TEST(Occupancy, SmallKernelsAreLimitedByTheHardware) {
  const Occupancy o = occupancy(mi210(), {32, 32, 0, 4});
  EXPECT_EQ(o.waves_per_simd, 8u);
  EXPECT_EQ(o.workgroups_per_cu, 8u);
  EXPECT_EQ(o.limit, OccupancyLimit::waves);
}

TEST(Occupancy, RegistersOfALaneLimitIt) {
  // 512 registers a SIMD lane: three waves of 136 to 168.
  const Occupancy o = occupancy(mi210(), {140, 32, 0, 1});
  EXPECT_EQ(o.waves_per_simd, 3u);
  EXPECT_EQ(o.limit, OccupancyLimit::vgprs);
}

TEST(Occupancy, LdsLimitsIt) {
  const Occupancy o = occupancy(mi210(), {32, 32, 32 * 1024, 4});
  EXPECT_EQ(o.workgroups_per_cu, 2u);
  EXPECT_EQ(o.waves_per_simd, 2u);
  EXPECT_EQ(o.limit, OccupancyLimit::lds);
}

TEST(Occupancy, AWorkgroupThatDoesNotFit) {
  // 16 waves of 512 registers: a compute unit holds four.
  EXPECT_EQ(occupancy(mi210(), {512, 32, 0, 16}).workgroups_per_cu, 0u);
}

}  // namespace
}  // namespace geak::emulator

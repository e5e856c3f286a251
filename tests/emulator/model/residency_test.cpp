#include "emulator/model/residency.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

// MI300A: 228 compute units on 6 dies.
TEST(Residency, AFullDeviceHoldsWhatOccupancyAllows) {
  const Occupancy occupancy{8, 8, OccupancyLimit::waves};
  const Residency r = residency(*find_device("MI300A"), occupancy, 1'000'000, 4);
  EXPECT_EQ(r.waves_per_cu, 32u);
  EXPECT_EQ(r.waves_per_die, 32u * 38);
}

TEST(Residency, ASmallGridIsSpreadEvenly) {
  const Occupancy occupancy{8, 8, OccupancyLimit::waves};
  const Residency r = residency(*find_device("MI300A"), occupancy, 12, 4);
  EXPECT_EQ(r.waves_per_cu, 4u);
  EXPECT_EQ(r.waves_per_die, 2u * 4);
  EXPECT_EQ(residency(*find_device("MI210"), occupancy, 12, 4).waves_per_die, 12u * 4);
}

}  // namespace
}  // namespace geak::emulator

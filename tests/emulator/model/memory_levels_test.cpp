#include "emulator/model/memory_levels.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

// MI210: 8 MiB, 65536 lines.
TEST(LostLines, NothingIsLostWhereAllFits) {
  const DeviceDescription& device = *find_device("MI210");
  EXPECT_EQ(lost_lines(device, 1e6, 0), 0);
  EXPECT_EQ(lost_lines(device, 1e6, 65536), 0);
}

TEST(LostLines, WhatDoesNotFitIsLostAsTheSharesSay) {
  EXPECT_EQ(lost_lines(*find_device("MI210"), 1e6, 65537), 1e6);
}

// Each die of MI300X has 4 MiB of its own.
TEST(LostLines, EachDieHasItsOwn) {
  EXPECT_EQ(lost_lines(*find_device("MI300X"), 1e6, 32768), 0);
  EXPECT_EQ(lost_lines(*find_device("MI300X"), 1e6, 65536), 1e6);
}

}  // namespace
}  // namespace geak::emulator

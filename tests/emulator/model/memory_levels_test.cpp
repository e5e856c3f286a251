#include "emulator/model/memory_levels.h"

#include <gtest/gtest.h>

#include <bit>

namespace geak::emulator {
namespace {

// As many as the shares say were lost, all after so many other lines.
MemoryCounters lost_after(std::uint32_t since, std::uint64_t lines, std::uint64_t first = 0) {
  MemoryCounters counters;
  counters.l2_first_lines = first;
  counters.l2_lost.after[static_cast<unsigned>(std::bit_width(since))] = lines;
  return counters;
}

// MI210: 8 MiB, 65536 lines, of which each of 4096 waves has 16.
constexpr Residency kFull{.waves_per_cu = 40, .waves_per_die = 4096, .workgroups = 1024};

TEST(LostLines, NothingIsLostWhereAllFits) {
  const DeviceDescription& device = *find_device("MI210");
  EXPECT_EQ(lost_lines(device, lost_after(1000, 5000), kFull, 0), 0);
  EXPECT_EQ(lost_lines(device, lost_after(1000, 5000), kFull, 65536), 0);
}

TEST(LostLines, WhatDoesNotFitIsLostAsTheSharesSay) {
  EXPECT_EQ(lost_lines(*find_device("MI210"), lost_after(1000, 5000), kFull, 65537), 5000);
}

// Each die of MI300X has 4 MiB of its own.
TEST(LostLines, EachDieHasItsOwn) {
  const DeviceDescription& device = *find_device("MI300X");
  EXPECT_EQ(lost_lines(device, lost_after(1000, 5000), kFull, 8 * 32768), 0);
  EXPECT_EQ(lost_lines(device, lost_after(1000, 5000), kFull, 8 * 65536), 5000);
}

// Where each line is touched by 32 workgroups the waves together hold 32 times less.
TEST(LostLines, WhatWorkgroupsTouchTogetherTakesPlaceOnce) {
  const DeviceDescription& device = *find_device("MI210");
  const double distinct = 100000;
  const auto lost = [&](std::uint32_t since, double touched_by) {
    return lost_lines(device,
                      lost_after(since, 5000, static_cast<std::uint64_t>(touched_by * distinct)),
                      kFull, distinct);
  };
  EXPECT_EQ(lost(31, 1), 5000) << "16 to 31 lines later, a share of 16";
  EXPECT_EQ(lost(15, 1), 0);
  EXPECT_EQ(lost(511, 32), 0) << "a share of 512";
  EXPECT_EQ(lost(1023, 32), 5000);
  EXPECT_NEAR(lost(1023, 45.25), 2500, 5) << "half the octave";
  EXPECT_EQ(lost(16384, 1e6), 5000) << "no more than run at once: a share of 16384";
  EXPECT_EQ(lost(16383, 1e6), 0);
}

// Fetches of the same few lines again and again make no larger window: of 64 lines that a wave may
// keep, these 4 million fetches at a distance of 32 to 63 take up no more than about 48.
TEST(LostLines, TheSameLinesAgainTakeNoMorePlace) {
  const DeviceDescription& device = *find_device("MI210");
  MemoryCounters counters = lost_after(200, 100000, 400000);
  const auto lost = [&] { return lost_lines(device, counters, kFull, 100000); };
  EXPECT_NEAR(lost(), 100000, 1) << "a share of 64, for each line is touched by four";
  counters.l2_lost.after[6] = 4'000'000;
  EXPECT_GT(lost(), 0);
  EXPECT_LT(lost(), 60000);
  counters.l2_lost.after[6] = 40'000'000;
  EXPECT_EQ(lost(), 0);
  counters.l2_first_lines = 100000;
  EXPECT_NEAR(lost(), 40'100'000, 1) << "nothing is shared: a share of 16";
}

// Those are known to lie further back than the model remembers, and no more.
TEST(LostLines, ForgottenLinesAreLostToAnyShareThatIsRemembered) {
  MemoryCounters counters = lost_after(1000, 0, 100000);
  counters.l2_lost.forgotten = 80;
  EXPECT_EQ(lost_lines(*find_device("MI210"), counters, kFull, 100000), 80);
  counters.l2_first_lines = 100000 * 300;
  EXPECT_EQ(lost_lines(*find_device("MI210"), counters, kFull, 100000), 0);
}

}  // namespace
}  // namespace geak::emulator

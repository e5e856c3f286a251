#include "emulator/model/workgroup_caches.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

using Level = WorkgroupCaches::Level;

// Shares of 4 lines of the L1 and 16 of the L2.
class WorkgroupCachesTest : public ::testing::Test {
 protected:
  explicit WorkgroupCachesTest(bool whole_lines = true) {
    caches_.set_shares(4, whole_lines, 16);
    caches_.clear();
  }
  Level read(std::uint64_t line, unsigned wave = 0, unsigned halves = 3) {
    const auto read = caches_.read(line, halves, wave);
    missed_ = read.missed;
    awaited_ = read.awaited;
    return read.from;
  }
  void read_others(unsigned count) {
    for (unsigned n = 0; n < count; ++n) read(1000 + next_++);
  }

  WorkgroupCaches caches_;
  unsigned missed_ = 0;
  Level awaited_ = Level::l1;
  std::uint64_t next_ = 0;
};

TEST_F(WorkgroupCachesTest, ALineStaysWhileOthersFitTheShare) {
  EXPECT_EQ(read(7), Level::seen_first);
  EXPECT_EQ(missed_, 1u) << "128 bytes come together";
  read_others(4);
  EXPECT_EQ(read(7), Level::l1);
  read_others(5);
  EXPECT_EQ(read(7), Level::l2);
  EXPECT_EQ(read(7), Level::l1);
  read_others(17);
  EXPECT_EQ(read(7), Level::lost);
}

TEST_F(WorkgroupCachesTest, HitsDoNotAgeTheOthers) {
  read(7);
  for (unsigned n = 0; n < 100; ++n) read(8);
  EXPECT_EQ(read(7), Level::l1);
}

TEST_F(WorkgroupCachesTest, WavesOfAWorkgroupShareLines) {
  read(7, 0);
  read_others(100);
  EXPECT_EQ(read(7, 1), Level::l1) << "they run at the same time";
  EXPECT_EQ(read(7, 1), Level::l1);
}

TEST_F(WorkgroupCachesTest, WhoComesWithTheOneThatFetchesWaitsAsLong) {
  read(7, 0);
  EXPECT_EQ(awaited_, Level::seen_first);
  for (unsigned wave = 1; wave < 4; ++wave) {
    EXPECT_EQ(read(7, wave), Level::l1) << "it is fetched once";
    EXPECT_EQ(awaited_, Level::seen_first);
    read(7, wave);
    EXPECT_EQ(awaited_, Level::l1) << "it has come";
  }
  read_others(5);
  read(7, 0);
  EXPECT_EQ(awaited_, Level::l1) << "it waited before";
}

TEST_F(WorkgroupCachesTest, BehindABarrierALineHasCome) {
  read(7, 0);
  caches_.pass_barrier();
  read(7, 1);
  EXPECT_EQ(awaited_, Level::l1);
}

TEST_F(WorkgroupCachesTest, ANewWorkgroupBeginsWithNothing) {
  read(7);
  caches_.clear();
  EXPECT_EQ(read(7), Level::seen_first);
}

TEST_F(WorkgroupCachesTest, WritesReachTheL2Alone) {
  EXPECT_EQ(caches_.write(7, 0).from, Level::seen_first);
  EXPECT_EQ(caches_.write(7, 0).from, Level::l2);
  EXPECT_EQ(read(7), Level::l2) << "what was written is not in the L1";
}

// A row of a large matrix, or a column of one: no stride may crowd the lines into a few sets.
TEST(WorkgroupCaches, RemembersLinesAtAnyStride) {
  for (const std::uint64_t stride : {1, 2, 8, 64, 512, 1000}) {
    WorkgroupCaches caches;
    caches.set_shares(4096, true, 4096);
    constexpr std::uint64_t kLines = 512;
    unsigned remembered = 0;
    for (std::uint64_t n = 0; n < kLines; ++n)
      EXPECT_EQ(caches.read(n * stride, 3, 0).from, Level::seen_first);
    for (std::uint64_t n = 0; n < kLines; ++n)
      remembered += caches.read(n * stride, 3, 0).from == Level::l1;
    EXPECT_GE(remembered, kLines * 99 / 100) << "stride " << stride;
  }
}

TEST(WorkgroupCaches, TellsWhichLineItForgot) {
  WorkgroupCaches caches;
  caches.set_shares(4096, true, 4096);
  std::uint64_t line = 0;
  while (!caches.has_forgotten()) caches.read(++line, 3, 2);
  const std::uint64_t forgotten = caches.take_forgotten() / WorkgroupCaches::kWaves;
  EXPECT_FALSE(caches.has_forgotten());
  EXPECT_EQ(caches.read(forgotten, 3, 2).from, Level::seen_first);
}

class HalfLines : public WorkgroupCachesTest {
 protected:
  HalfLines() : WorkgroupCachesTest(false) {}
};

TEST_F(HalfLines, AreFetchedByThemselves) {
  EXPECT_EQ(read(7, 0, 1), Level::seen_first);
  EXPECT_EQ(missed_, 1u);
  EXPECT_EQ(read(7, 0, 3), Level::l2) << "the L2 has the other half";
  EXPECT_EQ(missed_, 1u);
  EXPECT_EQ(read(7, 0, 3), Level::l1);
  EXPECT_EQ(read(9, 0, 3), Level::seen_first);
  EXPECT_EQ(missed_, 2u);
}

}  // namespace
}  // namespace geak::emulator

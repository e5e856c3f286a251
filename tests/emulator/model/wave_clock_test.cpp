#include "emulator/model/wave_clock.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

TEST(WaveClock, AWaitTakesWhatIsLeftOfTheLatency) {
  WaveClock clock;
  clock.issue_vector(100, 300);
  EXPECT_EQ(clock.wait_vector(150, 0), 250u);
  EXPECT_EQ(clock.stalled(), 250u);
  EXPECT_EQ(clock.wait_vector(400, 0), 0u) << "it is there";
}

TEST(WaveClock, LoadsThatAreIssuedTogetherOverlap) {
  WaveClock clock;
  for (unsigned n = 0; n < 8; ++n) clock.issue_vector(4 * n, 300);
  EXPECT_EQ(clock.wait_vector(32, 7), 268u) << "for the first of eight";
  EXPECT_EQ(clock.wait_vector(300, 0), 28u) << "for the last";
}

TEST(WaveClock, VectorMemoryReturnsInOrder) {
  WaveClock clock;
  clock.issue_vector(0, 500);
  clock.issue_vector(4, 100);
  EXPECT_EQ(clock.wait_vector(8, 0), 492u);
}

TEST(WaveClock, CountersAreApart) {
  WaveClock clock;
  clock.issue_scalar(0, 100);
  clock.issue_lds(0, 64);
  EXPECT_EQ(clock.wait_vector(10, 0), 0u);
  EXPECT_EQ(clock.wait_lds(10, 0), 54u);
  EXPECT_EQ(clock.wait_scalar(64), 36u);
}

}  // namespace
}  // namespace geak::emulator

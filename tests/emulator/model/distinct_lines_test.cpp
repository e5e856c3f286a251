#include "emulator/model/distinct_lines.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

TEST(DistinctLines, FewAreCountedExactly) {
  DistinctLines lines;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t line = 1000; line < 3000; ++line) lines.add(line);
  }
  EXPECT_EQ(lines.estimate(), 2000);
}

TEST(DistinctLines, ManyAreEstimated) {
  DistinctLines lines;
  for (std::uint64_t line = 0; line < 1'000'000; ++line) lines.add(line * 3);
  EXPECT_NEAR(lines.estimate(), 1e6, 8e4);
}

TEST(DistinctLines, MergeCountsSharedLinesOnce) {
  DistinctLines a, b;
  for (std::uint64_t line = 0; line < 100'000; ++line) a.add(line);
  for (std::uint64_t line = 50'000; line < 50'100; ++line) b.add(line);
  b.merge(a);
  EXPECT_NEAR(b.estimate(), 1e5, 8e3);
}

TEST(DistinctLines, ClearForgets) {
  DistinctLines lines;
  for (std::uint64_t line = 0; line < 10'000; ++line) lines.add(line);
  lines.clear();
  EXPECT_EQ(lines.estimate(), 0);
  lines.add(7);
  EXPECT_EQ(lines.estimate(), 1);
}

}  // namespace
}  // namespace geak::emulator

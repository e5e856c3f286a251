#include "emulator/isa/memory/lds_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace geak::emulator {
namespace {

// All that a pattern says, by its definition.
void expect_right(LdsPatterns& patterns, const Lanes& offsets, std::uint32_t constant,
                  unsigned bytes) {
  const LdsPattern& found = patterns.find(offsets, constant, bytes);
  alignas(64) Lanes sums;
  std::int32_t lowest = 0, highest = 0;
  const std::uint32_t step = offsets[1] - offsets[0];
  bool runs = step == bytes || step == 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    sums[lane] = offsets[lane] + constant;
    lowest = std::min(lowest, static_cast<std::int32_t>(offsets[lane] - offsets[0]));
    highest = std::max(highest, static_cast<std::int32_t>(offsets[lane] - offsets[0]));
    runs = runs && (lane % kRunLanes == 0 || offsets[lane] - offsets[lane - 1] == step);
  }
  const LdsCycles cycles = lds_cycles(sums, ~std::uint64_t{0}, bytes);
  EXPECT_EQ(found.cycles.busy, cycles.busy);
  EXPECT_EQ(found.cycles.conflicts, cycles.conflicts);
  EXPECT_EQ(found.lowest, lowest);
  EXPECT_EQ(found.highest, highest);
  EXPECT_EQ(found.run_step, runs ? static_cast<std::int32_t>(step) : kNoRuns);
}

class LdsPatternsTest : public ::testing::TestWithParam<unsigned> {
 protected:
  alignas(64) Lanes offsets_;
  LdsPatterns patterns_;
  std::mt19937 random_{3};
};

TEST_P(LdsPatternsTest, RowsRunsAndColumns) {
  const unsigned bytes = GetParam();
  const std::function<std::uint32_t(unsigned)> kinds[] = {
      [&](unsigned l) { return l * bytes; },
      [&](unsigned l) { return l / 8 * 1000 + l % 8 * bytes; },
      [&](unsigned l) { return l / 16 * 64; },
      [&](unsigned l) { return l / 4 * 64 + l % 4 * bytes; },
      [&](unsigned l) { return (63 - l) * bytes; },
      [&](unsigned l) { return l * 132 - 2000; },
      [](unsigned) { return 16u; }};
  for (int round = 0; round < 3; ++round) {
    for (const auto& kind : kinds) {
      for (const std::uint32_t shift : {0, 4, 2, 260}) {
        for (const std::uint32_t constant : {0, 4, 3, 1024}) {
          for (unsigned lane = 0; lane < kLanes; ++lane) offsets_[lane] = kind(lane) + shift;
          expect_right(patterns_, offsets_, constant, bytes);
        }
      }
    }
  }
}

TEST_P(LdsPatternsTest, AnyOffsets) {
  for (int round = 0; round < 300; ++round) {
    for (std::uint32_t& offset : offsets_) offset = random_() % 4096;
    expect_right(patterns_, offsets_, 8, GetParam());
    offsets_[random_() % kLanes] ^= 64;
    expect_right(patterns_, offsets_, 8, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, LdsPatternsTest, ::testing::Values(1, 4, 8, 16));

TEST(LdsPointers, WrapAt32Bits) {
  alignas(64) Lanes offsets;
  for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = 4 * lane - 16;
  std::byte memory[512];
  std::byte* found[kLanes];
  lds_pointers(offsets, 16, memory, found);
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(found[lane], memory + 4 * lane);
}

}  // namespace
}  // namespace geak::emulator

#include "emulator/isa/memory/bank_conflicts.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "emulator/wave/wave.h"

namespace geak::emulator {
namespace {

// By the definition: of the lanes served together, the bank with the most different dwords decides.
LdsCycles expected_cycles(const Lanes& offsets, std::uint64_t mask, unsigned bytes) {
  const unsigned dwords = bytes <= 4 ? 1 : bytes / 4;
  const unsigned lanes = 32 / dwords;
  LdsCycles result;
  for (unsigned first = 0; first < kLanes; first += lanes) {
    std::map<std::uint32_t, std::set<std::uint32_t>> banks;
    for (unsigned lane = first; lane < first + lanes; ++lane) {
      for (unsigned d = 0; d < dwords && (mask >> lane & 1); ++d)
        banks[(offsets[lane] / 4 + d) % 32].insert(offsets[lane] / 4 + d);
    }
    std::size_t busiest = 0;
    for (const auto& [bank, wanted] : banks) busiest = std::max(busiest, wanted.size());
    result.busy += static_cast<std::uint32_t>(busiest);
    result.conflicts += static_cast<std::uint32_t>(busiest ? busiest - 1 : 0);
  }
  return result;
}

class BankConflictsTest : public ::testing::TestWithParam<unsigned> {
 protected:
  void compare(std::uint64_t mask) {
    const LdsCycles expected = expected_cycles(offsets_, mask, GetParam());
    const LdsCycles found = lds_cycles(offsets_, mask, GetParam());
    EXPECT_EQ(found.busy, expected.busy);
    EXPECT_EQ(found.conflicts, expected.conflicts);
  }

  alignas(64) Lanes offsets_;
  std::mt19937 random_{7};
};

TEST_P(BankConflictsTest, RowsColumnsAndBroadcasts) {
  for (const unsigned stride : {0, 1, 2, 3, 16, 32, 33}) {
    for (const unsigned together : {1, 4, 16}) {
      for (unsigned shift = 0; shift < 200; shift += 28) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
          offsets_[lane] = lane / together * stride * GetParam() + shift;
        compare(~std::uint64_t{0});
        compare(0x5555555555555555);
      }
    }
  }
}

TEST_P(BankConflictsTest, AnyOffsets) {
  for (int round = 0; round < 300; ++round) {
    for (std::uint32_t& offset : offsets_) offset = random_() % 2048;
    const std::uint64_t mask = round % 3 == 0 ? ~std::uint64_t{0} : random_() * 0x100000001ull;
    compare(mask);
    // Further on, and with one lane elsewhere.
    for (std::uint32_t& offset : offsets_) offset += 4 * (round % 7);
    compare(mask);
    for (std::uint32_t& offset : offsets_) offset += 1;
    compare(mask);
    offsets_[random_() % kLanes] ^= 64;
    compare(mask);
  }
}

// More rows of banks apart than any LDS has; inactive lanes hold anything.
TEST_P(BankConflictsTest, FarApart) {
  for (int round = 0; round < 100; ++round) {
    for (std::uint32_t& offset : offsets_) offset = random_() % (1u << (12 + round % 20));
    compare(~std::uint64_t{0});
    const std::uint64_t mask = random_() * 0x100000001ull;
    compare(mask);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (mask >> lane & 1) offsets_[lane] %= 1024;
    }
    compare(mask);
  }
  compare(0);
}

INSTANTIATE_TEST_SUITE_P(Bytes, BankConflictsTest, ::testing::Values(1, 4, 8, 16));

}  // namespace
}  // namespace geak::emulator

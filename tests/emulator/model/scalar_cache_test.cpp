#include "emulator/model/scalar_cache.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

class ScalarCacheTest : public ::testing::Test {
 protected:
  ScalarCacheTest() { cache_.clear(/*first=*/true); }
  ScalarCache cache_;
};

TEST_F(ScalarCacheTest, WhoComesWithTheOneThatFetchesWaitsAsLong) {
  for (unsigned wave = 0; wave < 4; ++wave) {
    EXPECT_TRUE(cache_.misses(7, wave));
    EXPECT_FALSE(cache_.misses(7, wave)) << "it has come";
  }
}

TEST_F(ScalarCacheTest, BehindABarrierALineHasCome) {
  EXPECT_TRUE(cache_.misses(7, 0));
  cache_.pass_barrier();
  EXPECT_FALSE(cache_.misses(7, 1));
}

TEST_F(ScalarCacheTest, HoldsAsManyLinesAsItHas) {
  for (std::uint64_t line = 0; line < ScalarCache::kLines; ++line)
    EXPECT_TRUE(cache_.misses(line, 0));
  for (std::uint64_t line = 0; line < ScalarCache::kLines; ++line)
    EXPECT_FALSE(cache_.misses(line, 0));
  EXPECT_TRUE(cache_.misses(ScalarCache::kLines, 0));
  EXPECT_TRUE(cache_.misses(0, 0)) << "the one not used for longest has given way";
  EXPECT_FALSE(cache_.misses(1, 0)) << "other sets keep theirs";
}

TEST_F(ScalarCacheTest, TheFirstWorkgroupOfAComputeUnitBeginsWithNothing) {
  EXPECT_TRUE(cache_.misses(7, 0));
  cache_.clear(/*first=*/true);
  EXPECT_TRUE(cache_.misses(7, 0));
}

TEST_F(ScalarCacheTest, AWorkgroupFindsWhatTheOneBeforeLeft) {
  cache_.clear(/*first=*/false);
  EXPECT_FALSE(cache_.misses(7, 0));
  EXPECT_FALSE(cache_.misses(7, 1));
}

TEST_F(ScalarCacheTest, NoMoreIsLeftThanItHolds) {
  cache_.clear(/*first=*/false);
  for (std::uint64_t line = 0; line < ScalarCache::kLines; ++line)
    EXPECT_FALSE(cache_.misses(line, 0));
  EXPECT_TRUE(cache_.misses(ScalarCache::kLines, 0));
}

}  // namespace
}  // namespace geak::emulator

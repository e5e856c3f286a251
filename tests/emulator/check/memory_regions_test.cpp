#include "emulator/check/memory_regions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "emulator/check/check_settings.h"

namespace geak::emulator::check {
namespace {

constexpr std::uint64_t kBegin = 0x10000, kBytes = 100;

TEST(MemoryRegions, RedZonesBelongToTheirAllocation) {
  MemoryRegions regions;
  regions.add(Region::Kind::device, kBegin, kBytes, kBegin - 0x1000, kBegin + 0x2000, false);
  Region* region = regions.find(kBegin + kBytes);
  ASSERT_NE(region, nullptr);
  EXPECT_TRUE(region->holds(kBegin + 99, 1));
  EXPECT_FALSE(region->holds(kBegin + 99, 2));
  EXPECT_FALSE(region->holds(kBegin - 1, 1));
  EXPECT_EQ(regions.find(kBegin - 1), region);
  EXPECT_EQ(regions.find(kBegin - 0x1001), nullptr);
}

TEST(MemoryRegions, FreedMemoryIsKnownUntilForgotten) {
  MemoryRegions regions;
  regions.add(Region::Kind::device, kBegin, kBytes, kBegin, kBegin + kBytes, false);
  ASSERT_NE(regions.mark_freed(kBegin), nullptr);
  EXPECT_EQ(regions.mark_freed(kBegin), nullptr);
  EXPECT_TRUE(regions.find(kBegin)->freed);
  regions.forget(kBegin);
  EXPECT_EQ(regions.find(kBegin), nullptr);
}

class TrackedMemory : public ::testing::Test {
 protected:
  TrackedMemory()
      : begin_(reinterpret_cast<std::uint64_t>(memory_)),
        region_(regions_.add(Region::Kind::device, begin_, sizeof memory_, begin_,
                             begin_ + sizeof memory_, true)) {
    MemoryRegions::fill(region_);
  }
  alignas(64) unsigned char memory_[61];
  MemoryRegions regions_;
  std::uint64_t begin_;
  Region& region_;
};

TEST_F(TrackedMemory, IsUnwrittenToTheByte) {
  regions_.set_written(begin_ + 2, 1);
  EXPECT_EQ(MemoryRegions::unwritten(region_, begin_, 4), 0b1011u);
  EXPECT_EQ(MemoryRegions::unwritten(region_, begin_ + 60, 1), 1u);
}

TEST_F(TrackedMemory, ShowsWhatTheHostWrote) {
  const unsigned value = 12;
  std::memcpy(memory_ + 8, &value, sizeof value);
  EXPECT_EQ(MemoryRegions::unwritten(region_, begin_ + 8, 4), 0u);
  EXPECT_EQ(MemoryRegions::unwritten(region_, begin_ + 12, 4), 0b1111u);
}

TEST_F(TrackedMemory, CopiesWhatWasWritten) {
  regions_.set_written(begin_, 4);
  regions_.copy_written(begin_ + 16, begin_, 8);
  EXPECT_EQ(MemoryRegions::unwritten(region_, begin_ + 16, 8), 0xf0u);
}

TEST(CheckSettings, ReadsNames) {
  setenv("GEAK_EMU_CHECK", "memcheck,racecheck", 1);
  const auto settings = CheckSettings::from_environment();
  EXPECT_TRUE(settings.memcheck && settings.racecheck);
  EXPECT_FALSE(settings.initcheck || settings.leakcheck);
  setenv("GEAK_EMU_CHECK", "memchek", 1);
  EXPECT_THROW(CheckSettings::from_environment(), std::runtime_error);
  unsetenv("GEAK_EMU_CHECK");
}

}  // namespace
}  // namespace geak::emulator::check

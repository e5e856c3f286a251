#include "replay/recorder/memory_map.h"

#include <gtest/gtest.h>

namespace geak::replay {
namespace {

Allocation at(std::uint64_t base, std::uint64_t bytes) { return {base, bytes, {}, "", 0}; }

TEST(MemoryMap, FindsByAnyAddressWithin) {
  MemoryMap map;
  map.add(at(0x1000, 0x100));
  map.add(at(0x2000, 0x100));
  EXPECT_EQ(map.find(0x1000)->base, 0x1000u);
  EXPECT_EQ(map.find(0x10ff)->base, 0x1000u);
  EXPECT_EQ(map.find(0x1100), nullptr);
  EXPECT_EQ(map.find(0x1100, true)->base, 0x1000u);
  EXPECT_EQ(map.find(0xfff), nullptr);
  EXPECT_EQ(map.lowest(), 0x1000u);
  EXPECT_EQ(map.highest(), 0x2100u);
}

TEST(MemoryMap, PrefersTheAllocationThatBeginsWhereAnotherEnds) {
  MemoryMap map;
  map.add(at(0x1000, 0x100));
  map.add(at(0x1100, 0x100));
  EXPECT_EQ(map.find(0x1100, true)->base, 0x1100u);
}

TEST(MemoryMap, ForgetsWhatNewMemoryOverlaps) {
  MemoryMap map;
  map.add(at(0x1000, 0x100));
  map.add(at(0x1200, 0x100));
  map.add(at(0x1080, 0x200));
  EXPECT_EQ(map.find(0x1000), nullptr);
  EXPECT_EQ(map.find(0x1210)->base, 0x1080u);
  EXPECT_EQ(map.find(0x12f0), nullptr);
  map.remove(0x1080);
  EXPECT_EQ(map.find(0x1080), nullptr);
}

}  // namespace
}  // namespace geak::replay

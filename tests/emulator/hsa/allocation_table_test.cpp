#include "emulator/hsa/allocation_table.h"

#include <gtest/gtest.h>

#include <cstring>

#include "emulator/hsa/guard.h"
#include "emulator/memory/page_map.h"

namespace geak::emulator {
namespace {

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

class AllocationTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<Agent> gpu_ = make_gpu_agent(*find_device("MI210"), Arch::gfx90a, 0, 1);
  Pool& pool_ = gpu_->pools.front();
  AllocationTable table_;
};

TEST_F(AllocationTableTest, GivesZeroedPagesThatTheDeviceReaches) {
  auto* memory = static_cast<char*>(table_.allocate(pool_, 5000));
  EXPECT_EQ(address(memory) % kAllocationGranule, 0u);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(memory[i], 0);
  EXPECT_TRUE(PageMap::instance().covers(address(memory) + 4999));
  EXPECT_TRUE(table_.free(memory));
  EXPECT_FALSE(PageMap::instance().covers(address(memory)));
  EXPECT_FALSE(table_.free(memory));
}

TEST_F(AllocationTableTest, FindsByAnyAddressWithin) {
  auto* memory = static_cast<char*>(table_.allocate(pool_, 100));
  ASSERT_TRUE(table_.find(memory + 99));
  EXPECT_EQ(table_.find(memory + 99)->base, address(memory));
  EXPECT_FALSE(table_.find(memory + 100));
  EXPECT_FALSE(table_.find(memory - 1));
  table_.free(memory);
}

TEST_F(AllocationTableTest, RefusesMoreThanThePool) {
  EXPECT_THROW(table_.allocate(pool_, pool_.bytes + 1), StatusError);
  EXPECT_THROW(table_.allocate(pool_, std::size_t{1} << 62), StatusError);
}

TEST_F(AllocationTableTest, LocksCountAndShareAPage) {
  alignas(4096) static char host[4096];
  table_.lock(host, 100, nullptr, {});
  table_.lock(host, 100, nullptr, {});
  table_.lock(host + 200, 100, nullptr, {});
  EXPECT_EQ(table_.find(host + 250)->type, HSA_EXT_POINTER_TYPE_LOCKED);
  EXPECT_TRUE(table_.unlock(host));
  EXPECT_TRUE(table_.unlock(host));
  EXPECT_FALSE(table_.unlock(host));
  EXPECT_TRUE(PageMap::instance().covers(address(host)));  // the other range holds the page
  EXPECT_TRUE(table_.unlock(host + 200));
  EXPECT_FALSE(PageMap::instance().covers(address(host)));
}

TEST_F(AllocationTableTest, LocksOfOneAddressMayDifferInSize) {
  alignas(4096) static char host[8192];
  table_.lock(host, 8192, nullptr, {});
  table_.lock(host, 100, nullptr, {});
  table_.lock(host + 50, 10, nullptr, {});
  EXPECT_EQ(table_.find(host + 8000)->base, address(host));
  EXPECT_TRUE(table_.unlock(host));
  EXPECT_TRUE(PageMap::instance().covers(address(host) + 8000));
  EXPECT_TRUE(table_.unlock(host + 50));
  EXPECT_TRUE(table_.unlock(host));
  EXPECT_FALSE(PageMap::instance().covers(address(host) + 8000));
  EXPECT_FALSE(PageMap::instance().covers(address(host)));
}

TEST_F(AllocationTableTest, FreeingALockedRangeIsRefused) {
  static char host[64];
  table_.lock(host, sizeof host, nullptr, {});
  EXPECT_FALSE(table_.free(host));
  EXPECT_TRUE(table_.unlock(host));
}

}  // namespace
}  // namespace geak::emulator

#include "emulator/wave/schedule.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emulator/memory/page_map.h"
#include "tests/emulator/wave/small_kernel.h"

namespace geak::emulator {
namespace {

// Kernels with the address of `results` in s[4:5] and of the workgroup's number in s2.
class ScheduleTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096;

  ScheduleTest() : memory_(3 * kPage) {
    const auto begin = reinterpret_cast<std::uint64_t>(memory_.data());
    address_ = (begin + kPage - 1) / kPage * kPage;
    PageMap::instance().add(address_, 2 * kPage);
  }
  ~ScheduleTest() override {
    PageMap::instance().remove(address_, 2 * kPage);
    ::unsetenv("GEAK_EMU_SCHEDULE");
  }

  // The dwords that the kernel leaves in its memory, which is zero before.
  std::vector<std::uint32_t> run(const char* seed, const std::string& source,
                                 std::uint32_t workgroups, std::uint32_t work_items,
                                 std::size_t results) {
    ::setenv("GEAK_EMU_SCHEDULE", seed, 1);
    const std::uint64_t data = address_ + kPage;
    std::memcpy(reinterpret_cast<void*>(address_), &data, sizeof data);
    std::memset(reinterpret_cast<void*>(data), 0, kPage);
    // Several threads, so that only a schedule makes it repeat itself.
    const auto result = testing::run_small_kernel(
        *find_device("MI210"),
        "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" + source, address_, workgroups,
        work_items, /*lds=*/4096, /*threads=*/4);
    error_ = result.error ? result.error->message : "";
    std::vector<std::uint32_t> found(results);
    std::memcpy(found.data(), reinterpret_cast<const void*>(data), results * 4);
    return found;
  }

  std::vector<std::byte> memory_;
  std::uint64_t address_ = 0;
  std::string error_;
};

// results[1 + workgroup] = how many were before it; results[0] counts.
const std::string kTickets =
    "v_mov_b32 v0, 0\nv_mov_b32 v1, 1\nglobal_atomic_add v2, v0, v1, s[4:5] glc\n"
    "s_waitcnt vmcnt(0)\ns_lshl_b32 s6, s2, 2\nv_mov_b32 v3, s6\n"
    "global_store_dword v3, v2, s[4:5] offset:4\n";
// results[0] += 1, without an atomic.
const std::string kPlainCount =
    "v_mov_b32 v0, 0\nglobal_load_dword v1, v0, s[4:5]\ns_waitcnt vmcnt(0)\n"
    "v_add_u32 v1, v1, 1\nglobal_store_dword v0, v1, s[4:5]\n";

TEST_F(ScheduleTest, ZeroKeepsTheUsualOrder) {
  const auto tickets = run("0", kTickets, 9, 1, 10);
  ASSERT_EQ(error_, "");
  EXPECT_EQ(tickets, (std::vector<std::uint32_t>{9, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(ScheduleTest, OneGoesBackwards) {
  const auto tickets = run("1", kTickets, 9, 1, 10);
  ASSERT_EQ(error_, "");
  EXPECT_EQ(tickets, (std::vector<std::uint32_t>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST_F(ScheduleTest, OthersShuffleAndRepeatThemselves) {
  const auto two = run("2", kTickets, 200, 1, 201), again = run("2", kTickets, 200, 1, 201);
  ASSERT_EQ(error_, "");
  EXPECT_EQ(two, again);
  EXPECT_EQ(two[0], 200u);
  const std::set<std::uint32_t> each(two.begin() + 1, two.end());
  EXPECT_EQ(each.size(), 200u);
  EXPECT_NE(two, run("3", kTickets, 200, 1, 201));
}

TEST_F(ScheduleTest, AWaveIsInterruptedBetweenALoadAndAStore) {
  EXPECT_EQ(run("1", kPlainCount, 100, 1, 1)[0], 100u);
  for (const char* seed : {"2", "3", "4"}) {
    const auto count = run(seed, kPlainCount, 100, 1, 1)[0];
    EXPECT_EQ(error_, "");
    EXPECT_LT(count, 100u) << seed;
    EXPECT_GT(count, 0u) << seed;
  }
}

// The last wave waits at a barrier for what the first puts into LDS.
TEST_F(ScheduleTest, BarriersHoldInAnyOrder) {
  const std::string source =
      "v_lshlrev_b32 v1, 2, v0\nv_add_u32 v2, 7, v0\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\n"
      "s_barrier\nv_sub_u32 v3, 0x3fc, v1\nds_read_b32 v4, v3\ns_waitcnt lgkmcnt(0)\n"
      "global_store_dword v1, v4, s[4:5]\n";
  for (const char* seed : {"", "0", "1", "2", "3", "77"}) {
    const auto found = run(seed, source, 3, 256, 256);
    ASSERT_EQ(error_, "") << seed;
    for (std::uint32_t i = 0; i < 256; ++i) ASSERT_EQ(found[i], 255 - i + 7) << seed;
  }
}

// A workgroup that waits for one which starts later than all that are under way at first.
TEST_F(ScheduleTest, WaitingForAnotherWorkgroupEnds) {
  const std::string source =
      "v_mov_b32 v0, 0\nv_mov_b32 v1, 1\nglobal_atomic_add v0, v1, s[4:5]\n"
      "again:\nglobal_load_dword v2, v0, s[4:5] glc\ns_waitcnt vmcnt(0)\n"
      "v_readfirstlane_b32 s6, v2\ns_cmp_lt_u32 s6, 40\ns_cbranch_scc1 again\n";
  for (const char* seed : {"1", "2"}) {
    EXPECT_EQ(run(seed, source, 40, 1, 1)[0], 40u);
    EXPECT_EQ(error_, "") << seed;
  }
}

TEST_F(ScheduleTest, WhatIsNoNumberIsNamed) {
  run("backwards", kTickets, 1, 1, 1);
  EXPECT_NE(error_.find("GEAK_EMU_SCHEDULE='backwards'"), std::string::npos) << error_;
}

}  // namespace
}  // namespace geak::emulator

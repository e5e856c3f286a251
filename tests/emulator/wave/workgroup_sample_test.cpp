#include "emulator/wave/workgroup_sample.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <set>
#include <stdexcept>
#include <vector>

#include "emulator/memory/page_map.h"
#include "emulator/model/counters.h"
#include "tests/emulator/wave/small_kernel.h"

namespace geak::emulator {
namespace {

TEST(WorkgroupSample, FewWorkgroupsAllRun) {
  EXPECT_FALSE(WorkgroupSample::of(512, 512));
  EXPECT_FALSE(WorkgroupSample::of(512, 1023));
  EXPECT_TRUE(WorkgroupSample::of(512, 1024));
  EXPECT_FALSE(WorkgroupSample::of(1, 15)) << "eight, of less than twice as many";
  EXPECT_FALSE(WorkgroupSample::of(UINT64_MAX, 1024));
}

TEST(WorkgroupSample, ARunOfNeighboursFromEachEighth) {
  for (const std::uint64_t count : {1024u, 1025u, 7777u, 524288u}) {
    const auto sample = WorkgroupSample::of(510, count);
    ASSERT_TRUE(sample) << count;
    EXPECT_EQ(sample->size(), 512u) << count;
    EXPECT_DOUBLE_EQ(sample->weight() * 512, static_cast<double>(count));
    std::set<std::uint64_t> places;
    std::uint64_t halves = 0, last = 0;
    for (std::uint64_t n = 0; n < 512; ++n) {
      const auto workgroup = sample->workgroup(n);
      EXPECT_EQ(workgroup / (count / 8), n / 64) << count;
      if (n % 64 > 0) EXPECT_EQ(workgroup, last + 1);
      if (n % 64 == 0) places.insert(workgroup % (count / 8));
      halves += sample->in_half(n);
      last = workgroup;
    }
    EXPECT_EQ(halves, 256u);
    if (count > 4096) EXPECT_GT(places.size(), 4u) << "no regular stride";
  }
}

TEST(WorkgroupSample, SharedLinesStayAndOwnOnesGrow) {
  const auto sample = WorkgroupSample::of(512, 5120);  // one in ten
  ASSERT_TRUE(sample);
  EXPECT_DOUBLE_EQ(sample->all_lines(1000, 1000), 1000) << "a table that all of them read";
  EXPECT_NEAR(sample->all_lines(500, 1000), 10000, 1e-6) << "each its own";
  EXPECT_NEAR(sample->all_lines(600, 1000), 200 + 8000, 1e-6) << "200 that all read";
  EXPECT_DOUBLE_EQ(sample->all_lines(1010, 1000), 1000) << "estimates scatter";
  EXPECT_DOUBLE_EQ(sample->all_lines(0, 1000), 10000);
}

// Each workgroup of one wave reads a table of 256 bytes, adds 1 to what it finds in 256 bytes of
// its own and waits for both.
class SampledDispatch : public ::testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096, kWorkgroups = 1024, kBytes = 256 * kPage;

  SampledDispatch() : memory_(kBytes + kPage) {
    const auto begin = reinterpret_cast<std::uint64_t>(memory_.data());
    address_ = (begin + kPage - 1) / kPage * kPage;
    PageMap::instance().add(address_, kBytes);
  }
  ~SampledDispatch() override {
    PageMap::instance().remove(address_, kBytes);
    ::unsetenv("GEAK_EMU_SAMPLE");
    ::unsetenv("GEAK_EMU_SCHEDULE");
  }

  // How many workgroups left something.
  std::size_t run(const char* sample) {
    ::setenv("GEAK_EMU_SAMPLE", sample, 1);
    const std::uint64_t data = address_ + kPage;
    std::memset(reinterpret_cast<void*>(address_), 0, kBytes);
    std::memcpy(reinterpret_cast<void*>(address_), &data, sizeof data);
    result_ = testing::run_small_kernel(
        *find_device("MI210"),
        "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\n"
        "s_lshl_b32 s6, s2, 8\nv_add_u32 v2, s6, v1\ns_waitcnt lgkmcnt(0)\n"
        "global_load_dword v3, v1, s[4:5]\nglobal_load_dword v4, v2, s[4:5] offset:256\n"
        "s_waitcnt vmcnt(0)\nv_add_u32 v4, 1, v4\n"
        "global_store_dword v2, v4, s[4:5] offset:256\n",
        address_, kWorkgroups, 64, /*lds=*/0, /*threads=*/2);
    std::size_t left = 0;
    for (std::size_t n = 0; n < kWorkgroups; ++n) left += memory_at(kPage + 256 + n * 256) != 0;
    return left;
  }
  std::uint32_t memory_at(std::size_t offset) const {
    std::uint32_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(address_ + offset), sizeof value);
    return value;
  }

  std::vector<std::byte> memory_;
  std::uint64_t address_ = 0;
  DispatchResult result_;
};

TEST_F(SampledDispatch, APartCountsAsAllWould) {
  ASSERT_EQ(run(""), kWorkgroups);
  const auto all = *result_.counters;
  const double time = result_.modelled_ns;
  ASSERT_EQ(run("64"), 64u);
  const auto& part = *result_.counters;
  EXPECT_EQ(part.workgroups, all.workgroups);
  EXPECT_EQ(part.waves, all.waves);
  EXPECT_EQ(part.executed, all.executed);
  EXPECT_EQ(part.active_lanes, all.active_lanes);
  EXPECT_EQ(part.memory.read.lines128, all.memory.read.lines128);
  EXPECT_EQ(part.memory.l1_misses, all.memory.l1_misses);
  EXPECT_EQ(part.memory.vector_stall_cycles, all.memory.vector_stall_cycles);
  EXPECT_EQ(part.longest_wave_cycles, all.longest_wave_cycles);
  EXPECT_EQ(part.footprint_bytes, all.footprint_bytes) << "two lines that all read, two of each";
  EXPECT_EQ(part.memory_bytes, all.memory_bytes);
  EXPECT_DOUBLE_EQ(result_.modelled_ns, time);
}

TEST_F(SampledDispatch, AScheduleRunsAll) {
  ::setenv("GEAK_EMU_SCHEDULE", "1", 1);
  EXPECT_EQ(run("64"), kWorkgroups);
}

TEST_F(SampledDispatch, WhatIsNoNumberIsRefused) {
  for (const char* text : {"0", "-1", "many", "8x"}) {
    EXPECT_EQ(run(text), 0u) << text;
    ASSERT_TRUE(result_.error) << text;
    EXPECT_NE(result_.error->message.find("GEAK_EMU_SAMPLE"), std::string::npos);
  }
}

}  // namespace
}  // namespace geak::emulator

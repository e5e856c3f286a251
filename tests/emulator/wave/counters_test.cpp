// The counters of small kernels against numbers counted by hand from their assembly.
#include "emulator/model/counters.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "emulator/memory/page_map.h"
#include "tests/emulator/wave/small_kernel.h"

namespace geak::emulator {
namespace {

using Class = InstructionClass;

// Kernels of 64 VGPRs with the address of `memory` in s[0:1] and of the workgroup's id in s2.
class CountersTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096, kBytes = 64 * kPage;

  CountersTest() : memory_(kBytes + kPage) {
    const auto begin = reinterpret_cast<std::uint64_t>(memory_.data());
    address_ = (begin + kPage - 1) / kPage * kPage;
    PageMap::instance().add(address_, kBytes);
  }
  ~CountersTest() override { PageMap::instance().remove(address_, kBytes); }

  // The kernarg segment is the start of `memory`: a pointer to its second page.
  std::shared_ptr<const Counters> run(const std::string& source, std::uint32_t workgroups,
                                      std::uint32_t work_items, std::uint32_t lds = 0,
                                      const char* device = "MI210") {
    const std::uint64_t data = address_ + kPage;
    std::memcpy(reinterpret_cast<void*>(address_), &data, sizeof data);
    const DispatchResult result = testing::run_small_kernel(
        *find_device(device), source, address_, workgroups, work_items, lds, /*threads=*/1);
    EXPECT_FALSE(result.error) << result.error->message;
    return result.counters;
  }

  static std::uint64_t executed(const Counters& c, Class which) {
    return c.executed[static_cast<unsigned>(which)];
  }
  static std::uint64_t lanes(const Counters& c, Class which) {
    return c.active_lanes[static_cast<unsigned>(which)];
  }

  std::vector<std::byte> memory_;
  std::uint64_t address_ = 0;
};

const std::string kLoadPointer = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n";

// Three workgroups of two waves; in each wave sixteen lanes take the branch.
TEST_F(CountersTest, InstructionsByClassAndActiveLanes) {
  const auto c = run(kLoadPointer +
                         "v_and_b32_e32 v1, 63, v0\n"
                         "v_cmp_gt_u32_e32 vcc, 16, v1\n"
                         "s_and_saveexec_b64 s[6:7], vcc\n"
                         "v_add_u32_e32 v2, 1, v1\n"
                         "v_exp_f32_e32 v3, v2\n"
                         "s_mov_b64 exec, s[6:7]\n",
                     3, 128);
  EXPECT_EQ(c->workgroups, 3u);
  EXPECT_EQ(c->waves, 6u);
  EXPECT_EQ(executed(*c, Class::scalar_memory), 6u);
  EXPECT_EQ(executed(*c, Class::synchronization), 6u);
  EXPECT_EQ(executed(*c, Class::valu), 6u * 3);
  EXPECT_EQ(executed(*c, Class::transcendental), 6u);
  EXPECT_EQ(executed(*c, Class::salu), 6u * 2);
  EXPECT_EQ(executed(*c, Class::other), 6u) << "s_endpgm";
  EXPECT_EQ(lanes(*c, Class::valu), 6u * (64 + 64 + 16));
  EXPECT_EQ(lanes(*c, Class::transcendental), 6u * 16);
  EXPECT_EQ(c->instructions(), 6u * 9);
  EXPECT_EQ(c->memory.scalar_bytes, 6u * 8);
}

// 64 lanes of 4 bytes: consecutive 256 bytes, then 128 bytes apart, then all the same.
TEST_F(CountersTest, LinesOfMemoryInstructions) {
  const auto c =
      run(kLoadPointer +
              "v_lshlrev_b32_e32 v1, 2, v0\nv_lshlrev_b32_e32 v2, 7, v0\nv_mov_b32_e32 v3, 0\n"
              "global_load_dword v4, v1, s[4:5]\nglobal_load_dword v5, v2, s[4:5]\n"
              "global_load_dword v6, v3, s[4:5]\ns_waitcnt vmcnt(0)\n"
              "global_store_dword v1, v4, s[4:5]\nglobal_atomic_add v3, v4, s[4:5]\n",
          1, 64);
  EXPECT_EQ(c->memory.read.instructions, 3u);
  EXPECT_EQ(c->memory.read.lanes, 192u);
  EXPECT_EQ(c->memory.read.bytes, 768u);
  EXPECT_EQ(c->memory.read.lines64, 4u + 64 + 1);
  EXPECT_EQ(c->memory.read.lines128, 2u + 64 + 1);
  EXPECT_EQ(c->memory.write.instructions, 1u);
  EXPECT_EQ(c->memory.write.lines64, 4u);
  EXPECT_EQ(c->memory.atomic.lanes, 64u);
  EXPECT_EQ(c->memory.atomic.lines64, 1u);
  // The first load fetches 4 lines; the second 63 more, for its first two are there; one of the
  // wave's 256-byte row is at line 0, as the third load's.
  EXPECT_EQ(c->memory.l1_misses, 4u + 62);
  EXPECT_EQ(c->memory.l1_hits, 2u + 1);
  EXPECT_EQ(c->footprint_bytes, 64u * 128);
  EXPECT_EQ(c->memory_bytes, 64u * 128);
}

// A dword a lane: in a row, two apart (two lanes a bank), and 32 apart (all in one bank).
TEST_F(CountersTest, BankConflicts) {
  const std::string address = "v_lshlrev_b32_e32 v1, ";
  const auto cycles = [&](const std::string& shift) {
    const auto c =
        run("v_lshlrev_b32_e32 v1, " + shift + ", v0\nds_write_b32 v1, v0\n", 1, 64, 16384);
    EXPECT_EQ(c->memory.lds_instructions, 1u);
    EXPECT_EQ(c->memory.lds_bytes, 256u);
    return std::pair(c->memory.lds_cycles, c->memory.lds_conflict_cycles);
  };
  EXPECT_EQ(cycles("2"), (std::pair<std::uint64_t, std::uint64_t>(2, 0)));
  EXPECT_EQ(cycles("3"), (std::pair<std::uint64_t, std::uint64_t>(4, 2)));
  EXPECT_EQ(cycles("7"), (std::pair<std::uint64_t, std::uint64_t>(64, 62)));
}

// Of four waves the first executes a loop of 3 instructions ten times before the barrier.
TEST_F(CountersTest, WaitsAtBarriers) {
  const auto c =
      run("v_readfirstlane_b32 s6, v0\ns_cmp_lg_u32 s6, 0\ns_cbranch_scc1 arrive\n"
          "s_movk_i32 s7, 10\nloop:\ns_sub_u32 s7, s7, 1\ns_cmp_lg_u32 s7, 0\ns_cbranch_scc1 loop\n"
          "arrive:\ns_barrier\ns_barrier\n",
          2, 256);
  EXPECT_EQ(c->barriers, 2u * 4 * 2);
  EXPECT_EQ(c->barrier_wait_instructions, 2u * 3 * 31);
  EXPECT_EQ(c->barrier_stall_cycles, 2u * 3 * 31 * 4);
  EXPECT_EQ(c->longest_wave_cycles * 4 * 2, c->instructions() * 4 + c->barrier_stall_cycles)
      << "all take as long as the slowest";
}

TEST_F(CountersTest, NoOperationsThatRepeat) {
  const auto c = run("s_nop 0\ns_nop 3\n", 2, 64);
  EXPECT_EQ(c->memory.idle_cycles, 2u * 3 * 4);
  EXPECT_EQ(c->longest_wave_cycles * 2, c->instructions() * 4 + c->memory.idle_cycles);
}

// A scalar load that misses waits for the L2, the next of its line does not; of more workgroups
// than run at once the later ones find the lines of the earlier ones. Arguments were fetched
// before.
TEST_F(CountersTest, ScalarLoadsOfALineWaitForTheL2Once) {
  const auto load_at = [](const std::string& offset) {
    return "s_load_dword s6, s[0:1], " + offset + "\ns_waitcnt lgkmcnt(0)\n";
  };
  const std::string load = load_at("0x1000");
  const auto once = run(load, 1, 64)->memory.scalar_stall_cycles;
  EXPECT_LT(run(load_at("0x0"), 1, 64)->memory.scalar_stall_cycles, once);
  EXPECT_LT(run(load + load, 1, 64)->memory.scalar_stall_cycles, 2 * once);
  EXPECT_EQ(run(load, 2, 64)->memory.scalar_stall_cycles, 2 * once) << "each on its compute unit";
  EXPECT_LT(run(load, 10'000, 64)->memory.scalar_stall_cycles, 10'000 * once);
}

// 64 VGPRs: 8 waves a SIMD; 20 KiB of LDS: three workgroups of a wave a compute unit.
TEST_F(CountersTest, OccupancyAndItsLimit) {
  EXPECT_EQ(run("s_nop 0\n", 1, 256)->occupancy.waves_per_simd, 8u);
  const auto c = run("s_nop 0\n", 1, 64, 20 * 1024);
  EXPECT_EQ(c->occupancy.workgroups_per_cu, 3u);
  EXPECT_EQ(c->occupancy.limit, OccupancyLimit::lds);
}

// s_memtime and s_memrealtime: later is not less, and more after a loop.
TEST_F(CountersTest, ClocksAdvance) {
  run(kLoadPointer +
          "s_memtime s[8:9]\ns_memrealtime s[12:13]\ns_waitcnt lgkmcnt(0)\n"
          "s_movk_i32 s6, 0x4000\nloop:\ns_sub_u32 s6, s6, 1\ns_cmp_lg_u32 s6, 0\n"
          "s_cbranch_scc1 loop\n"
          "s_memtime s[10:11]\ns_memrealtime s[14:15]\ns_waitcnt lgkmcnt(0)\n"
          "s_sub_u32 s10, s10, s8\ns_subb_u32 s11, s11, s9\n"
          "s_sub_u32 s14, s14, s12\ns_subb_u32 s15, s15, s13\n"
          "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, s10\nv_mov_b32_e32 v3, s11\n"
          "v_mov_b32_e32 v4, s14\nv_mov_b32_e32 v5, s15\n"
          "global_store_dwordx4 v1, v[2:5], s[4:5]\n",
      1, 1);
  std::int64_t differences[2];
  std::memcpy(differences, reinterpret_cast<const void*>(address_ + kPage), sizeof differences);
  EXPECT_GT(differences[0], 0);
  EXPECT_GE(differences[1], 0);
}

// The same 32 lines, twice, by workgroups on different dies: each die fetches them once.
TEST_F(CountersTest, EveryDieFetchesSharedLines) {
  const std::string source = kLoadPointer +
                             "v_lshlrev_b32_e32 v1, 6, v0\n"
                             "global_load_dword v4, v1, s[4:5]\ns_waitcnt vmcnt(0)\n"
                             "global_load_dword v4, v1, s[4:5]\ns_waitcnt vmcnt(0)\n";
  const auto c = run(source, 12, 64, 0, "MI300A");
  EXPECT_EQ(c->footprint_bytes, 32u * 128);
  EXPECT_EQ(c->memory_bytes, 6u * 32 * 128);
  EXPECT_EQ(run(source, 12, 64)->memory_bytes, 32u * 128) << "MI210 has one die";
}

}  // namespace
}  // namespace geak::emulator

// Instructions whose lanes depend on one another or on scalars, and the modifiers SDWA and DPP.
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "tests/emulator/isa/conformance.h"
#include "tests/emulator/isa/machine.h"

namespace geak::emulator::testing {
namespace {

class Lanes64 : public ::testing::Test {
 protected:
  // v1 = f(lane), v2 = 1000 + lane (old destination values), EXEC = exec; runs `source`.
  void run(const std::string& source, u64 exec = ~u64{0}, Arch arch = Arch::gfx90a) {
    ASSERT_TRUE(m.load(arch, source)) << m.error();
    m.wave().set_scalar64(kExec, exec);
    for (unsigned l = 0; l < kLanes; ++l) {
      m.v(1)[l] = 100 + l;
      m.v(2)[l] = 1000 + l;
    }
    m.run();
    ASSERT_EQ(m.wave().state, WaveState::ended) << m.wave().fault_message;
  }
  // v2 of each lane; -1 of `from` means that the old value stayed, -2 that it became 0.
  void expect_from(const std::function<int(unsigned)>& from) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const int lane = from(l);
      const u32 want = lane == -1 ? 1000 + l : lane == -2 ? 0 : 100 + static_cast<u32>(lane);
      EXPECT_EQ(m.v(2)[l], want) << "lane " << l;
    }
  }
  Machine m;
};

TEST_F(Lanes64, QuadPermutation) {
  run("v_mov_b32_dpp v2, v1 quad_perm:[3,0,2,1] row_mask:0xf bank_mask:0xf");
  expect_from([](unsigned l) { return static_cast<int>((l & ~3u) + "\3\0\2\1"[l & 3]); });
}

TEST_F(Lanes64, RowShiftsLeaveLanesWithoutSource) {
  run("v_mov_b32_dpp v2, v1 row_shl:3 row_mask:0xf bank_mask:0xf");
  expect_from([](unsigned l) { return l % 16 < 13 ? static_cast<int>(l + 3) : -1; });
  run("v_mov_b32_dpp v2, v1 row_shr:3 row_mask:0xf bank_mask:0xf");
  expect_from([](unsigned l) { return l % 16 >= 3 ? static_cast<int>(l - 3) : -1; });
  run("v_mov_b32_dpp v2, v1 row_ror:3 row_mask:0xf bank_mask:0xf");
  expect_from([](unsigned l) { return static_cast<int>(l / 16 * 16 + (l + 13) % 16); });
}

TEST_F(Lanes64, BoundControlGivesZero) {
  run("v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0");
  expect_from([](unsigned l) { return l % 16 != 0 ? static_cast<int>(l - 1) : -2; });
}

TEST_F(Lanes64, WaveShiftsAndBroadcasts) {
  run("v_mov_b32_dpp v2, v1 wave_shr:1 row_mask:0xf bank_mask:0xf");
  expect_from([](unsigned l) { return static_cast<int>(l) - 1; });
  run("v_mov_b32_dpp v2, v1 wave_rol:1 row_mask:0xf bank_mask:0xf");
  expect_from([](unsigned l) { return static_cast<int>((l + 1) % 64); });
  run("v_mov_b32_dpp v2, v1 row_bcast:15 row_mask:0xa bank_mask:0xf");
  expect_from([](unsigned l) { return l / 16 % 2 == 1 ? static_cast<int>(l / 16 * 16 - 1) : -1; });
  run("v_mov_b32_dpp v2, v1 row_bcast:31 row_mask:0xc bank_mask:0xf");
  expect_from([](unsigned l) { return l >= 32 ? 31 : -1; });
  run("v_mov_b32_dpp v2, v1 row_newbcast:5 row_mask:0xf bank_mask:0xf");
  expect_from([](unsigned l) { return static_cast<int>(l / 16 * 16 + 5); });
}

TEST_F(Lanes64, MirrorsAndBanks) {
  run("v_mov_b32_dpp v2, v1 row_mirror row_mask:0xf bank_mask:0x3");
  expect_from(
      [](unsigned l) { return l % 16 < 8 ? static_cast<int>(l / 16 * 16 + 15 - l % 16) : -1; });
  run("v_mov_b32_dpp v2, v1 row_half_mirror row_mask:0xf bank_mask:0xf");
  expect_from([](unsigned l) { return static_cast<int>(l / 8 * 8 + 7 - l % 8); });
}

TEST_F(Lanes64, InactiveLanesDoNotFeedOthers) {
  run("v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf", 0xfffffffffffffff5);
  expect_from([](unsigned l) {
    const bool source = l % 16 != 0 && l != 2 && l != 4;
    return l == 1 || l == 3 || !source ? -1 : static_cast<int>(l - 1);
  });
}

TEST_F(Lanes64, SdwaSelectsAndMerges) {
  auto one = [&](const std::string& modifiers) {
    EXPECT_TRUE(m.load(Arch::gfx90a, "v_add_u32_sdwa v2, v1, v3 " + modifiers)) << m.error();
    m.v(1)[7] = 0x89abcdef;
    m.v(3)[7] = 0x01020384;
    m.v(2)[7] = 0x55667788;
    m.run();
    return m.v(2)[7];
  };
  EXPECT_EQ(one("dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:BYTE_0"), 0x151u);
  EXPECT_EQ(one("dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0"), 0x8d2fu);
  EXPECT_EQ(one("dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_1"),
            0x55f27788u);
  EXPECT_EQ(one("dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_1 src1_sel:BYTE_3"),
            0xffff89acu);
  EXPECT_EQ(one("dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1"),
            0x00f20000u);
  EXPECT_TRUE(m.load(Arch::gfx90a,
                     "v_add_u32_sdwa v2, sext(v1), sext(v3) dst_sel:DWORD dst_unused:UNUSED_PAD "
                     "src0_sel:BYTE_3 src1_sel:BYTE_0"));
  m.run();
  EXPECT_EQ(m.v(2)[7], static_cast<u32>(-119 - 124));
}

TEST_F(Lanes64, ReadsAndWritesOfOneLane) {
  run("v_readlane_b32 s4, v1, 5\ns_mov_b32 s5, 66\nv_readlane_b32 s6, v1, s5\n"
      "v_writelane_b32 v2, s5, 9\nv_readfirstlane_b32 s7, v1",
      0xf0);
  EXPECT_EQ(m.s(4), 105u);
  EXPECT_EQ(m.s(6), 102u);  // modulo 64
  EXPECT_EQ(m.s(7), 104u);
  EXPECT_EQ(m.v(2)[9], 66u);
  EXPECT_EQ(m.v(2)[8], 1008u);
}

TEST_F(Lanes64, SwapUnderExec) {
  run("v_swap_b32 v1, v2", 0x3);
  EXPECT_EQ(m.v(1)[1], 1001u);
  EXPECT_EQ(m.v(2)[1], 101u);
  EXPECT_EQ(m.v(1)[2], 102u);
}

TEST_F(Lanes64, MaskedBitCounts) {
  run("s_mov_b32 s4, 0x80000101\nv_mbcnt_lo_u32_b32 v3, s4, 0\nv_mbcnt_hi_u32_b32 v3, s4, v3");
  for (unsigned l = 0; l < kLanes; ++l) {
    const u64 below = (u64{1} << l) - 1;
    EXPECT_EQ(m.v(3)[l], static_cast<u32>(std::popcount(0x8000010180000101 & below))) << l;
  }
}

TEST_F(Lanes64, AccumulatorsAreRowsBehindTheOffset) {
  m.wave().accum_offset = 32;
  run("v_accvgpr_write_b32 a3, v1\nv_accvgpr_mov_b32 a4, a3\nv_accvgpr_read_b32 v2, a4\nv_nop");
  EXPECT_EQ(m.v(35)[6], 106u);
  EXPECT_EQ(m.v(36)[6], 106u);
  EXPECT_EQ(m.v(2)[6], 106u);
}

TEST_F(Lanes64, RegisterIndexing) {
  run("s_mov_b32 s4, 3\ns_set_gpr_idx_on s4, gpr_idx(DST)\nv_mov_b32_e32 v20, v1\n"
      "s_set_gpr_idx_mode gpr_idx(SRC0)\ns_set_gpr_idx_idx s4\nv_mov_b32_e32 v2, v20\n"
      "s_set_gpr_idx_off\nv_mov_b32_e32 v21, v1");
  EXPECT_EQ(m.v(23)[3], 103u);
  EXPECT_EQ(m.v(2)[3], 103u);
  EXPECT_EQ(m.v(21)[3], 103u);
  EXPECT_EQ(m.v(20)[3], 0u);
}

TEST_F(Lanes64, TrailingConstants) {
  run("v_mov_b32_e32 v1, 2.0\nv_mov_b32_e32 v2, 0.5\nv_fmaak_f32 v3, v1, v2, 0x40400000\n"
      "v_fmamk_f32 v4, v1, 0x40400000, v2",
      ~u64{0}, Arch::gfx942);
  EXPECT_EQ(std::bit_cast<float>(m.v(3)[0]), 4.0f);
  EXPECT_EQ(std::bit_cast<float>(m.v(4)[0]), 6.5f);
}

TEST_F(Lanes64, HighHalfOfMix) {
  run("v_mov_b32_e32 v1, 2.0\nv_mov_b32_e32 v2, 0xbc003c00\nv_fma_mixhi_f16 v2, v1, v1, v1");
  EXPECT_EQ(m.v(2)[0], 0x46003c00u);  // 6.0 above, 1.0 kept below
}

TEST_F(Lanes64, WideMaskedSums) {
  run("v_mqsad_u32_u8 v[8:11], v[4:5], v1, v[12:15]");
  EXPECT_EQ(m.v(8)[0], 100u);  // |0 - 100| in the one byte that is not masked
  EXPECT_EQ(m.v(11)[5], 105u);
}

TEST_F(Lanes64, SegmentsOfTwoOverPi) {
  run("v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0x3ff00000\nv_trig_preop_f64 v[6:7], v[4:5], 0");
  const u64 bits = m.v(6)[0] | u64{m.v(7)[0]} << 32;
  const double two_over_pi = 0.63661977236758134308;
  EXPECT_NEAR(std::bit_cast<double>(bits), two_over_pi, 0x1p-52);
}

}  // namespace
}  // namespace geak::emulator::testing

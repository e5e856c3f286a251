// Control flow, EXEC with saving, modes, and what stops a wave.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/emulator/isa/conformance.h"
#include "tests/emulator/isa/machine.h"

namespace geak::emulator::testing {
namespace {

class Control : public ::testing::Test {
 protected:
  void load(const std::string& source, Arch arch = Arch::gfx90a) {
    ASSERT_TRUE(m.load(arch, source)) << m.error();
  }
  void run(const std::string& source) {
    load(source);
    m.run();
    ASSERT_EQ(m.wave().state, WaveState::ended) << m.wave().fault_message;
  }
  // One call of the interpreter from the start.
  WaveState step(const std::string& source) {
    load(source);
    m.wave().program = &m.program();
    m.wave().pc = m.program().instructions().data();
    run_wave(m.wave(), 1 << 20);
    return m.wave().state;
  }
  Machine m;
};

TEST_F(Control, Loop) {
  run("s_mov_b32 s1, 0\ns_mov_b32 s2, 0\nloop: s_add_u32 s1, s1, s2\ns_add_u32 s2, s2, 1\n"
      "s_cmp_lt_u32 s2, 101\ns_cbranch_scc1 loop");
  EXPECT_EQ(m.s(1), 5050u);
}

TEST_F(Control, QuantumEndsALoopThatGoesOnLater) {
  EXPECT_EQ(step("loop: s_add_u32 s1, s1, 1\ns_branch loop"), WaveState::running);
  const u32 first = m.s(1);
  EXPECT_GT(first, 0u);
  run_wave(m.wave(), 1000);
  EXPECT_GT(m.s(1), first);
}

TEST_F(Control, ConditionalBranches) {
  // Each taken branch skips the addition of a bit to s1.
  run("s_mov_b32 s1, 0\ns_cmp_eq_u32 s1, 0\ns_cbranch_scc0 a\ns_or_b32 s1, s1, 1\na:\n"
      "s_mov_b64 vcc, 0\ns_cbranch_vccz b\ns_or_b32 s1, s1, 2\nb:\n"
      "s_cbranch_vccnz c\ns_or_b32 s1, s1, 4\nc:\n"
      "s_cbranch_execz d\ns_or_b32 s1, s1, 8\nd:\n"
      "s_cbranch_execnz e\ns_or_b32 s1, s1, 16\ne:\n"
      "s_cbranch_cdbgsys f\ns_or_b32 s1, s1, 32\nf:\ns_cbranch_cdbguser g\ns_or_b32 s1, s1, "
      "64\ng:\n"
      "s_cbranch_cdbgsys_or_user h\ns_or_b32 s1, s1, 128\nh:\n"
      "s_cbranch_cdbgsys_and_user i\ns_or_b32 s1, s1, 256\ni:");
  EXPECT_EQ(m.s(1), 1u + 4 + 8 + 32 + 64 + 128 + 256);
}

TEST_F(Control, CallsAndReturns) {
  run("s_getpc_b64 s[4:5]\nhere: s_add_u32 s4, s4, function-here\ns_addc_u32 s5, s5, 0\n"
      "s_swappc_b64 s[30:31], s[4:5]\ns_call_b64 s[30:31], function\ns_branch end\n"
      "function: s_add_u32 s1, s1, 7\ns_setpc_b64 s[30:31]\nend:");
  EXPECT_EQ(m.s(1), 14u);
}

TEST_F(Control, SavedExec) {
  struct Case {
    const char* name;
    u64 (*f)(u64, u64);
  };
  static constexpr Case kCases[] = {{"s_and_saveexec_b64", [](u64 s, u64 e) { return s & e; }},
                                    {"s_or_saveexec_b64", [](u64 s, u64 e) { return s | e; }},
                                    {"s_xor_saveexec_b64", [](u64 s, u64 e) { return s ^ e; }},
                                    {"s_andn2_saveexec_b64", [](u64 s, u64 e) { return s & ~e; }},
                                    {"s_orn2_saveexec_b64", [](u64 s, u64 e) { return s | ~e; }},
                                    {"s_nand_saveexec_b64", [](u64 s, u64 e) { return ~(s & e); }},
                                    {"s_nor_saveexec_b64", [](u64 s, u64 e) { return ~(s | e); }},
                                    {"s_xnor_saveexec_b64", [](u64 s, u64 e) { return ~(s ^ e); }},
                                    {"s_andn1_saveexec_b64", [](u64 s, u64 e) { return ~s & e; }},
                                    {"s_orn1_saveexec_b64", [](u64 s, u64 e) { return ~s | e; }},
                                    {"s_andn1_wrexec_b64", [](u64 s, u64 e) { return ~s & e; }},
                                    {"s_andn2_wrexec_b64", [](u64 s, u64 e) { return s & ~e; }}};
  constexpr u64 kSource = 0xf0f0123400ff00ff, kOld = 0xff00ff00abcd0f0f;
  for (const Case& c : kCases) {
    load(std::string(c.name) + " s[8:9], s[4:5]");
    m.wave().reset(kDefaultMode);
    m.wave().set_scalar64(4, kSource);
    m.wave().set_scalar64(kExec, kOld);
    m.run();
    const u64 want = c.f(kSource, kOld);
    EXPECT_EQ(m.wave().exec(), want) << c.name;
    EXPECT_EQ(m.wave().scalar64(8), std::string(c.name).ends_with("wrexec_b64") ? want : kOld)
        << c.name;
    EXPECT_EQ(m.wave().scc, want != 0) << c.name;
  }
}

TEST_F(Control, RelativeMoves) {
  run("s_mov_b32 m0, 4\ns_mov_b64 s[10:11], 7\ns_mov_b32 s12, 9\ns_movrels_b32 s1, s8\n"
      "s_movrels_b64 s[2:3], s[6:7]\ns_movreld_b32 s20, s12\ns_movreld_b64 s[22:23], s[10:11]");
  EXPECT_EQ(m.s(1), 9u);
  EXPECT_EQ(m.wave().scalar64(2), 7u);
  EXPECT_EQ(m.s(24), 9u);
  EXPECT_EQ(m.wave().scalar64(26), 7u);
}

TEST_F(Control, RoundingModes) {
  // 1 + 2^-25 by each of the four modes: even, up, down, to zero.
  for (u32 mode = 0; mode < 4; ++mode) {
    run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), " + std::to_string(mode) +
        "\nv_mov_b32_e32 v1, 0x33000000\nv_add_f32_e32 v2, 1.0, v1\nv_sub_f32_e32 v3, -1.0, v1\n"
        "s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 2)");
    EXPECT_EQ(m.s(4), mode);
    EXPECT_EQ(m.v(2)[0], mode == 1 ? 0x3f800001u : 0x3f800000u) << mode;
    EXPECT_EQ(m.v(3)[0], mode == 2 ? 0xbf800001u : 0xbf800000u) << mode;
  }
}

TEST_F(Control, FlushedDenormals) {
  const std::string add =
      "v_mov_b32_e32 v1, 0x00400000\nv_add_f32_e32 v2, v1, v1\n"
      "v_mul_f32_e32 v3, 0.5, v4\nv_mov_b32_e32 v5, 0x00010001\n"
      "v_add_f16_e32 v6, v5, v5\n";
  m.v(4)[0] = 0x00800000;
  run(add);
  EXPECT_EQ(m.v(2)[0], 0x00800000u);
  EXPECT_EQ(m.v(3)[0], 0x00400000u);
  EXPECT_EQ(m.v(6)[0], 2u);
  m.v(4)[0] = 0x00800000;
  run("s_mov_b32 s1, 0\ns_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s1\n" + add);
  EXPECT_EQ(m.v(2)[0], 0u);
  EXPECT_EQ(m.v(3)[0], 0u);
  EXPECT_EQ(m.v(6)[0], 0u);
}

TEST_F(Control, OutputModifierWithoutIeeeAndDenormals) {
  run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 6), 0\nv_mov_b32_e32 v1, 3.0\n"
      "v_add_f32_e64 v2, v1, v1 mul:4\nv_add_f32_e64 v3, v1, v1 div:2");
  EXPECT_EQ(std::bit_cast<float>(m.v(2)[0]), 24.0f);
  EXPECT_EQ(std::bit_cast<float>(m.v(3)[0]), 3.0f);
}

TEST_F(Control, WhatStopsAWave) {
  EXPECT_EQ(step("s_barrier"), WaveState::at_barrier);
  run_wave(m.wave(), 100);
  EXPECT_EQ(m.wave().state, WaveState::ended);
  EXPECT_EQ(step("s_sleep 1"), WaveState::sleeping);
  EXPECT_EQ(step("s_trap 2"), WaveState::faulted);
  EXPECT_EQ(m.wave().fault_kind, FaultKind::trap);
  EXPECT_EQ(step("s_sethalt 1"), WaveState::faulted);
  EXPECT_EQ(step("s_endpgm_saved"), WaveState::ended);
  EXPECT_EQ(step("s_sendmsghalt sendmsg(MSG_INTERRUPT)"), WaveState::ended);
  EXPECT_EQ(
      step("s_nop 3\ns_wakeup\ns_waitcnt vmcnt(0)\ns_setprio 1\ns_icache_inv\ns_dcache_inv\n"
           "s_incperflevel 1\ns_decperflevel 1\ns_ttracedata\ns_sendmsg sendmsg(MSG_INTERRUPT)"),
      WaveState::ended);
}

TEST_F(Control, CacheOperationsDoNothing) {
  EXPECT_EQ(step("buffer_wbl2\nbuffer_invl2\nbuffer_wbinvl1\nbuffer_wbinvl1_vol\ns_dcache_wb\n"
                 "s_dcache_inv_vol\ns_dcache_wb_vol"),
            WaveState::ended)
      << m.wave().fault_message;
  load("buffer_wbl2 sc1\nbuffer_inv sc1", Arch::gfx942);
  m.run();
  EXPECT_EQ(m.wave().state, WaveState::ended) << m.wave().fault_message;
}

TEST_F(Control, RealTimeAdvances) {
  run("s_memrealtime s[4:5]\ns_memrealtime s[6:7]");
  EXPECT_LE(m.wave().scalar64(4), m.wave().scalar64(6));
}

TEST_F(Control, UnfusedConstants) {
  run("v_mov_b32_e32 v1, 2.0\nv_mov_b32_e32 v2, 0.5\nv_madak_f32 v3, v1, v2, 0x40400000\n"
      "v_madmk_f32 v4, v1, 0x40400000, v2");
  EXPECT_EQ(std::bit_cast<float>(m.v(3)[0]), 4.0f);
  EXPECT_EQ(std::bit_cast<float>(m.v(4)[0]), 6.5f);
}

TEST_F(Control, StochasticFloat8) {
  // 1.0625 lies halfway between 1 and 1.125 of fp8; 1.125 halfway between 1 and 1.25 of bf8.
  load(
      "v_cvt_sr_fp8_f32 v3, v1, v2\nv_cvt_sr_bf8_f32 v4, v5, v2\n"
      "v_cvt_sr_fp8_f32 v6, v1, v2 op_sel:[0,0,1,1]",
      Arch::gfx942);
  for (unsigned l = 0; l < 2; ++l) {
    m.v(1)[l] = std::bit_cast<u32>(1.0625f);
    m.v(5)[l] = std::bit_cast<u32>(1.125f);
    m.v(2)[l] = l == 0 ? 0x7fffffffu : 0x80000000u;
    m.v(3)[l] = m.v(4)[l] = m.v(6)[l] = 0x11223344;
  }
  m.run();
  EXPECT_EQ(m.v(3)[0], 0x11223340u);
  EXPECT_EQ(m.v(3)[1], 0x11223341u);
  EXPECT_EQ(m.v(4)[0], 0x11223340u);
  EXPECT_EQ(m.v(4)[1], 0x11223341u);
  EXPECT_EQ(m.v(6)[1], 0x41223344u);
}

TEST_F(Control, DoubleDivisionIsRoundedCorrectly) {
  load(
      "v_div_scale_f64 v[10:11], s[4:5], v[4:5], v[4:5], v[2:3]\n"
      "v_div_scale_f64 v[12:13], vcc, v[2:3], v[4:5], v[2:3]\nv_rcp_f64_e32 v[14:15], v[10:11]\n"
      "v_fma_f64 v[16:17], -v[10:11], v[14:15], 1.0\n"
      "v_fma_f64 v[14:15], v[14:15], v[16:17], v[14:15]\n"
      "v_fma_f64 v[16:17], -v[10:11], v[14:15], 1.0\n"
      "v_fma_f64 v[14:15], v[14:15], v[16:17], v[14:15]\n"
      "v_mul_f64 v[16:17], v[12:13], v[14:15]\n"
      "v_fma_f64 v[10:11], -v[10:11], v[16:17], v[12:13]\n"
      "v_div_fmas_f64 v[10:11], v[10:11], v[14:15], v[16:17]\n"
      "v_div_fixup_f64 v[10:11], v[10:11], v[4:5], v[2:3]");
  static constexpr double kValues[] = {0.0,     1.0,      -3.0,   7.0,  1e-200, 1e200,
                                       1.7e308, 2.3e-308, 1e-310, 0.1,  1e150,  INFINITY,
                                       NAN,     -1e-300,  5e-324, 1e307};
  for (const double n : kValues) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const u64 a = std::bit_cast<u64>(n), b = std::bit_cast<u64>(kValues[l % 16]);
      m.v(2)[l] = static_cast<u32>(a);
      m.v(3)[l] = static_cast<u32>(a >> 32);
      m.v(4)[l] = static_cast<u32>(b);
      m.v(5)[l] = static_cast<u32>(b >> 32);
    }
    m.run();
    ASSERT_EQ(m.wave().state, WaveState::ended) << m.wave().fault_message;
    for (unsigned l = 0; l < 16; ++l) {
      const double want = n / kValues[l];
      const double got = std::bit_cast<double>(m.v(10)[l] | u64{m.v(11)[l]} << 32);
      const bool near = std::fabs(want) < 2.3e-308 && std::fabs(got - want) <= 5e-324;
      EXPECT_TRUE(got == want || near || (std::isnan(got) && std::isnan(want)))
          << n << " / " << kValues[l] << " is " << got << ", expected " << want;
    }
  }
}

TEST_F(Control, WhatCannotBeExecutedIsNamed) {
  EXPECT_EQ(step(".long 0xfefefefe"), WaveState::faulted);
  EXPECT_NE(m.wave().fault_message.find("0xfefefefe"), std::string::npos) << m.wave().fault_message;
  EXPECT_EQ(step("s_branch 1000"), WaveState::faulted);
  EXPECT_EQ(step("s_setvskip s0, s1"), WaveState::faulted);
  EXPECT_NE(m.wave().fault_message.find("s_setvskip"), std::string::npos);
  EXPECT_EQ(step("s_mov_b64 s[4:5], 16\ns_setpc_b64 s[4:5]"), WaveState::faulted);
  EXPECT_EQ(step("s_mov_b32 m0, 1000\ns_movrels_b32 s1, s2"), WaveState::faulted);
}

// The compiler's sequence for a division, over quotients that overflow, underflow and are denormal.
// v_writelane_b32 v1, v2, s3; v_writelane_b32 v1, s2, v3; v_readlane_b32 s1, v2, v3: found by
// fuzz_execute, which read beyond the scalar registers.
TEST_F(Control, ScalarOperandsThatNameVectorRegistersFault) {
  for (const char* words : {".long 0xd28a0001, 0x00000702", ".long 0xd28a0001, 0x00020602",
                            ".long 0xd2890001, 0x00020702"}) {
    ASSERT_TRUE(m.load(Arch::gfx90a, words)) << m.error();
    m.run();
    EXPECT_EQ(m.wave().state, WaveState::faulted) << words;
  }
}

TEST_F(Control, DivisionIsRoundedCorrectly) {
  load(
      "v_div_scale_f32 v3, s[4:5], v2, v2, v1\nv_div_scale_f32 v4, vcc, v1, v2, v1\n"
      "v_rcp_f32_e32 v5, v3\nv_fma_f32 v6, -v3, v5, 1.0\nv_fma_f32 v5, v6, v5, v5\n"
      "v_mul_f32_e32 v6, v4, v5\nv_fma_f32 v7, -v3, v6, v4\nv_fma_f32 v6, v7, v5, v6\n"
      "v_fma_f32 v3, -v3, v6, v4\nv_div_fmas_f32 v3, v3, v5, v6\nv_div_fixup_f32 v3, v3, v2, v1");
  static constexpr float kValues[] = {0.0f,  -0.0f,  1.0f,     -3.0f,  7.0f,    1e-30f,
                                      1e30f, 3e38f,  1.2e-38f, 1e-40f, -4e-45f, 0.1f,
                                      1e20f, 8e-20f, INFINITY, NAN};
  for (const float n : kValues) {
    for (unsigned l = 0; l < kLanes; ++l) {
      m.v(1)[l] = std::bit_cast<u32>(n);
      m.v(2)[l] = std::bit_cast<u32>(kValues[l % 16]);
    }
    m.run();
    ASSERT_EQ(m.wave().state, WaveState::ended) << m.wave().fault_message;
    for (unsigned l = 0; l < 16; ++l) {
      const float want = n / kValues[l], got = std::bit_cast<float>(m.v(3)[l]);
      // A denormal quotient is rounded twice by the sequence: one unit.
      const bool near = std::fabs(want) < 1.2e-38f && std::fabs(got - want) <= 1.5e-45f;
      EXPECT_TRUE(got == want || near || (std::isnan(got) && std::isnan(want)))
          << n << " / " << kValues[l] << " is " << got << ", expected " << want;
    }
  }
}

}  // namespace
}  // namespace geak::emulator::testing

#include "emulator/check/wait_states.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/emulator/isa/machine.h"

namespace geak::emulator::check {
namespace {

HazardForm form_of(Arch arch, const std::string& source) {
  testing::Machine machine;
  EXPECT_TRUE(machine.load(arch, source)) << machine.error();
  return hazard_form(arch, machine.program().instructions().front());
}

RegisterTouch read() { return {.code = kVector0, .vector = true}; }
RegisterTouch write() { return {.code = kVector0, .vector = true, .written = true}; }
RegisterTouch as_c(bool same) {
  return {.code = kVector0, .vector = true, .accumulator = true, .same = same};
}
RegisterTouch scalar(std::uint16_t code) { return {.code = code}; }

class Rules {
 public:
  explicit Rules(Arch arch) : arch_(arch) {}
  unsigned write(const std::string& writer, const std::string& later,
                 const RegisterTouch& touch) const {
    return wait_after_write(arch_, form_of(arch_, writer), form_of(arch_, later), touch);
  }
  unsigned read(const std::string& reader, const std::string& later) const {
    return wait_after_read(arch_, form_of(arch_, reader), form_of(arch_, later));
  }
  unsigned passes(const std::string& instruction) const {
    return form_of(arch_, instruction).passes;
  }

 private:
  Arch arch_;
};

const Rules gfx90a(Arch::gfx90a), gfx942(Arch::gfx942);

const char* kMove = "v_mov_b32 v0, v1";
const char* kStore = "global_store_dword v[2:3], v0, off";
const char* kSmall = "v_mfma_f32_4x4x4f16 v[0:3], v[8:9], v[10:11], v[0:3]";
const char* kMiddle = "v_mfma_f32_16x16x16f16 v[0:3], v[8:9], v[10:11], v[0:3]";
const char* kLarge = "v_mfma_f32_32x32x8f16 v[0:15], v[20:21], v[22:23], v[0:15]";
const char* kSingle = "v_mfma_f32_16x16x4f32 v[0:3], v8, v9, v[0:3]";
const char* kDouble = "v_mfma_f64_16x16x4f64 v[0:7], v[10:11], v[12:13], v[0:7]";
const char* kSmallDouble = "v_mfma_f64_4x4x4f64 v[0:1], v[10:11], v[12:13], v[0:1]";

// Passes as LLVM 19's scheduling models of the two have them (llvm-mca's latency, less 4).
TEST(WaitStates, PassesOfMatrixInstructions) {
  EXPECT_EQ(gfx90a.passes(kSmall), 2u);
  EXPECT_EQ(gfx90a.passes(kMiddle), 8u);
  EXPECT_EQ(gfx90a.passes(kLarge), 16u);
  EXPECT_EQ(gfx90a.passes(kDouble), 8u);
  EXPECT_EQ(gfx90a.passes(kSmallDouble), 4u);
  EXPECT_EQ(gfx942.passes(kSmall), 2u);
  EXPECT_EQ(gfx942.passes(kMiddle), 4u);
  EXPECT_EQ(gfx942.passes(kLarge), 8u);
  EXPECT_EQ(gfx942.passes(kSingle), 8u);
  EXPECT_EQ(gfx942.passes("v_mfma_f32_32x32x2_f32 v[0:15], v20, v21, v[0:15]"), 16u);
  EXPECT_EQ(gfx942.passes("v_mfma_f32_32x32x4_xf32 v[0:15], v[20:21], v[22:23], v[0:15]"), 8u);
  EXPECT_EQ(gfx942.passes("v_mfma_f32_16x16x8_xf32 v[0:3], v[20:21], v[22:23], v[0:3]"), 4u);
  EXPECT_EQ(gfx942.passes("v_mfma_f32_16x16x4_4b_f16 v[0:15], v[20:21], v[22:23], v[0:15]"), 8u);
  EXPECT_EQ(gfx942.passes("v_mfma_i32_32x32x4_2b_i8 v[0:31], v40, v41, v[0:31]"), 16u);
  EXPECT_EQ(gfx942.passes("v_mfma_f32_16x16x32_fp8_bf8 v[0:3], v[20:21], v[22:23], v[0:3]"), 4u);
  EXPECT_EQ(gfx942.passes("v_smfmac_f32_32x32x16_f16 v[0:15], v[20:21], v[24:27], v30"), 8u);
  EXPECT_EQ(gfx942.passes("v_smfmac_i32_16x16x64_i8 v[0:3], v[20:21], v[24:27], v30"), 4u);
  EXPECT_EQ(gfx942.passes(kDouble), 8u);
  EXPECT_EQ(gfx942.passes(kSmallDouble), 4u);
}

TEST(WaitStates, ResultsOfMatrixInstructionsForOthers) {
  const char* results[] = {kSmall, kMiddle, kLarge, kSingle};
  const unsigned on_gfx90a[] = {5, 11, 19, 11}, on_gfx942[] = {5, 7, 11, 10};
  for (unsigned n = 0; n < 4; ++n) {
    for (const char* later : {kMove, kStore, "ds_write_b32 v2, v0"}) {
      EXPECT_EQ(gfx90a.write(results[n], later, read()), on_gfx90a[n]) << results[n] << later;
      EXPECT_EQ(gfx942.write(results[n], later, read()), on_gfx942[n]) << results[n] << later;
    }
    EXPECT_EQ(gfx90a.write(results[n], kMove, write()), on_gfx90a[n]);
    EXPECT_EQ(gfx942.write(results[n], kMove, write()), on_gfx942[n]);
    EXPECT_EQ(gfx942.write(results[n], "global_load_dword v0, v[2:3], off", write()), on_gfx942[n]);
  }
  for (const Rules& rules : {gfx90a, gfx942}) {
    EXPECT_EQ(rules.write(kSmallDouble, kMove, read()), 6u);
    EXPECT_EQ(rules.write(kSmallDouble, kStore, read()), 9u);
    EXPECT_EQ(rules.write(kDouble, kMove, read()), 11u);
    EXPECT_EQ(rules.write(kDouble, kStore, read()), 18u);
    EXPECT_EQ(rules.write(kDouble, kMove, write()), 11u);
    EXPECT_EQ(rules.write(kMiddle, "s_mov_b32 s0, 0", read()), 0u);
  }
}

TEST(WaitStates, ResultsOfMatrixInstructionsForTheirLike) {
  // As A and B.
  EXPECT_EQ(gfx90a.write(kMiddle, kMiddle, read()), 11u);
  EXPECT_EQ(gfx942.write(kMiddle, kMiddle, read()), 7u);
  EXPECT_EQ(gfx942.write(kSingle, kMiddle, read()), 10u);
  EXPECT_EQ(gfx942.write(kDouble, kDouble, read()), 11u);
  // As the whole of C.
  EXPECT_EQ(gfx90a.write(kSmall, kSmall, as_c(true)), 0u);
  EXPECT_EQ(gfx942.write(kSmall, kSmall, as_c(true)), 2u);
  EXPECT_EQ(gfx942.write(kMiddle, kMiddle, as_c(true)), 0u);
  EXPECT_EQ(gfx90a.write(kSmallDouble, kSmallDouble, as_c(true)), 4u);
  // As a part of C.
  EXPECT_EQ(gfx90a.write(kMiddle, kMiddle, as_c(false)), 8u);
  EXPECT_EQ(gfx90a.write(kMiddle, kDouble, as_c(false)), 9u);
  EXPECT_EQ(gfx90a.write(kDouble, kMiddle, as_c(false)), 0u);
  EXPECT_EQ(gfx90a.write(kDouble, kDouble, as_c(false)), 9u);
  EXPECT_EQ(gfx942.write(kMiddle, kMiddle, as_c(false)), 5u);
  EXPECT_EQ(gfx942.write(kSingle, kSingle, as_c(false)), 8u);
  EXPECT_EQ(gfx942.write(kSingle, kMiddle, as_c(false)), 0u);
  // One overwrites the other's: in order.
  EXPECT_EQ(gfx942.write(kMiddle, kMiddle, write()), 0u);
}

TEST(WaitStates, BeforeMatrixInstructions) {
  for (const Rules& rules : {gfx90a, gfx942}) {
    EXPECT_EQ(rules.write(kMove, kMiddle, read()), 2u);
    EXPECT_EQ(rules.write(kMove, kMiddle, as_c(true)), 2u);
    EXPECT_EQ(rules.write("v_cmpx_eq_u32 v0, v1", kMiddle, scalar(kExec)), 4u);
    EXPECT_EQ(rules.write("s_mov_b64 exec, -1", kMiddle, scalar(kExec)), 0u);
  }
}

TEST(WaitStates, WhatIsReadLate) {
  EXPECT_EQ(gfx90a.read(kSmall, kMove), 1u);
  EXPECT_EQ(gfx90a.read(kMiddle, kMove), 7u);
  EXPECT_EQ(gfx90a.read(kLarge, kMove), 15u);
  EXPECT_EQ(gfx942.read(kMiddle, kMove), 3u);
  EXPECT_EQ(gfx942.read(kSingle, kMove), 0u);
  EXPECT_EQ(gfx942.read(kDouble, kMove), 0u);
  const char* wide = "global_store_dwordx4 v[8:9], v[0:3], off";
  EXPECT_EQ(gfx90a.read(wide, kMove), 1u);
  EXPECT_EQ(gfx942.read(wide, kMove), 2u);
  EXPECT_EQ(gfx942.read("global_store_dwordx2 v[8:9], v[0:1], off", kMove), 0u);
  EXPECT_EQ(gfx942.read("buffer_store_dwordx4 v[0:3], off, s[0:3], 0", kMove), 2u);
  EXPECT_EQ(gfx942.read("buffer_store_dwordx4 v[0:3], off, s[0:3], s4", kMove), 0u);
}

TEST(WaitStates, WhatGfx942ForwardsLate) {
  EXPECT_EQ(gfx942.write("v_rcp_f32 v0, v1", kMove, read()), 1u);
  EXPECT_EQ(gfx90a.write("v_rcp_f32 v0, v1", kMove, read()), 0u);
  EXPECT_EQ(gfx942.write("v_rcp_f32 v0, v1", "v_sqrt_f32 v2, v0", read()), 0u);
  const char* part =
      "v_add_u16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD "
      "src1_sel:DWORD";
  EXPECT_EQ(gfx942.write(part, kMove, read()), 1u);
  EXPECT_EQ(gfx90a.write(part, kMove, read()), 0u);
  EXPECT_EQ(gfx942.write("v_add_u16_sdwa v0, v1, v2 dst_sel:DWORD src0_sel:WORD_1 src1_sel:DWORD",
                         kMove, read()),
            0u);
  EXPECT_EQ(gfx942.write("v_mad_u16 v0, v1, v2, v3 op_sel:[0,0,0,1]", kMove, read()), 1u);
  EXPECT_EQ(gfx942.write(kMove, "v_readfirstlane_b32 s0, v0", read()), 1u);
  EXPECT_EQ(gfx942.write("v_cmpx_eq_u32 v0, v1", "v_readfirstlane_b32 s0, v0", scalar(kExec)), 4u);
  EXPECT_EQ(gfx942.write("v_readfirstlane_b32 s0, v0", "v_mov_b32 v1, s0", scalar(0)), 2u);
  EXPECT_EQ(gfx90a.write("v_readfirstlane_b32 s0, v0", "v_mov_b32 v1, s0", scalar(0)), 0u);
  EXPECT_EQ(gfx942.write("s_mov_b32 s0, 0", "v_mov_b32 v1, s0", scalar(0)), 0u);
}

TEST(WaitStates, ScalarRegisters) {
  for (const Rules& rules : {gfx90a, gfx942}) {
    EXPECT_EQ(
        rules.write("v_readfirstlane_b32 s0, v0", "global_load_dword v0, v1, s[0:1]", scalar(0)),
        5u);
    RegisterTouch lane = scalar(0);
    lane.lane = true;
    EXPECT_EQ(rules.write("v_readfirstlane_b32 s0, v0", "v_readlane_b32 s1, v1, s0", lane), 4u);
    EXPECT_EQ(
        rules.write("v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f32 v0, v1, v2, v3", scalar(kVcc)), 4u);
    EXPECT_EQ(rules.write("s_mov_b32 m0, 0", "s_sendmsg sendmsg(MSG_INTERRUPT)", scalar(kM0)), 1u);
    EXPECT_EQ(rules.write("s_mov_b32 m0, 0", "s_movrels_b32 s0, s1", scalar(kM0)), 1u);
    EXPECT_EQ(rules.write("s_mov_b32 m0, 0", "ds_read_b32 v0, v1", scalar(kM0)), 0u);
  }
}

TEST(WaitStates, DotProductsAndDoubles) {
  const char* dot = "v_dot2_f32_f16 v0, v1, v2, v3";
  for (const Rules& rules : {gfx90a, gfx942}) {
    EXPECT_EQ(rules.write(dot, dot, as_c(true)), 0u);
    EXPECT_EQ(rules.write(dot, dot, read()), 3u);
    EXPECT_EQ(rules.write(dot, kMove, read()), 3u);
    EXPECT_EQ(rules.write(dot, kMove, write()), 3u);
    EXPECT_EQ(rules.write(dot, dot, write()), 0u);
  }
  EXPECT_EQ(
      wait_after_f64_matrix(form_of(Arch::gfx90a, "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]")), 2u);
  EXPECT_EQ(wait_after_f64_matrix(form_of(Arch::gfx90a, kMove)), 0u);
  const HazardForm move = form_of(Arch::gfx90a, kMove), store = form_of(Arch::gfx90a, kStore);
  EXPECT_EQ(wait_around_f64_matrix(Arch::gfx90a, move, store), 2u);
  EXPECT_EQ(wait_around_f64_matrix(Arch::gfx942, move, store), 0u);
}

}  // namespace
}  // namespace geak::emulator::check

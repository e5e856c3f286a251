#include "replay/code_object/gfx9_code.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "emulator/isa/disassembler.h"
#include "tests/emulator/isa/assembler.h"

namespace geak::replay {
namespace {

std::vector<std::byte> assembled(const std::string& source) {
  auto result = emulator::testing::assemble(emulator::Arch::gfx90a, source);
  EXPECT_EQ(result.error, "") << source;
  return {result.text.begin(), result.text.end()};
}

std::string special(const std::string& source) { return special_instruction(assembled(source)); }

// Wherever LLVM sees an instruction, it is as long as ours.
TEST(Gfx9Code, LengthsAreLlvms) {
  std::mt19937 random(7);
  for (const auto arch : {emulator::Arch::gfx90a, emulator::Arch::gfx942}) {
    emulator::Disassembler disassembler(arch);
    unsigned known = 0;
    for (unsigned i = 0; i < 200'000; ++i) {
      std::array<std::uint32_t, 5> words;
      for (auto& word : words) word = random();
      // Rare in random words: constants behind, and the formats of few bits.
      if (i % 4 == 1) words[0] = (words[0] & ~0xffu) | 0xff;
      if (i % 4 == 2) words[0] = (words[0] & 0x007fffffu) | (random() % 512) << 23;
      if (i % 8 == 3) words[0] = (words[0] & ~0x1ffu) | (random() % 2 ? 0xf9 : 0xfa);
      const auto size = disassembler.decode(std::as_bytes(std::span(words)), 0).size;
      if (size == 0) continue;
      ++known;
      ASSERT_EQ(instruction_bytes(words[0]), size)
          << std::hex << words[0] << " " << disassembler.text(std::as_bytes(std::span(words)), 0);
    }
    EXPECT_GT(known, 20'000u);
  }
}

TEST(Gfx9Code, NamesWhatLooksAround) {
  EXPECT_EQ(special("s_memtime s[0:1]"), "s_memtime");
  EXPECT_EQ(special("s_memrealtime s[0:1]"), "s_memrealtime");
  EXPECT_EQ(special("s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 8, 4)"),
            "s_getreg_b32 hwreg(HW_REG_HW_ID)");
  EXPECT_EQ(special("s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0"),
            "s_setreg_b32 hwreg(HW_REG_TRAPSTS)");
  EXPECT_EQ(special("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 4), 3"),
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE)");
  EXPECT_EQ(special("s_sendmsg sendmsg(MSG_INTERRUPT)"), "s_sendmsg");
  EXPECT_EQ(special("s_trap 2"), "s_trap");
  EXPECT_EQ(special("s_sethalt 1"), "s_sethalt");
  EXPECT_TRUE(special("ds_gws_barrier v0 gds").starts_with("the global data share"));
}

TEST(Gfx9Code, OrdinaryInstructionsAreNotNamed) {
  for (const char* source : {"s_endpgm",
                             "s_nop 3",
                             "s_barrier",
                             "s_waitcnt vmcnt(0)",
                             "s_branch 4",
                             "s_cbranch_execz 4",
                             "s_sleep 1",
                             "s_setprio 2",
                             "s_load_dwordx4 s[0:3], s[4:5], 0x0",
                             "s_dcache_inv",
                             "s_getpc_b64 s[0:1]",
                             "s_setpc_b64 s[30:31]",
                             "s_swappc_b64 s[30:31], s[0:1]",
                             "ds_add_u32 v0, v1",
                             "v_add_f32 v0, v1, v2",
                             "global_load_dword v0, v1, s[0:1]",
                             "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
                             "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)",
                             "s_movk_i32 s0, 0x1234",
                             "buffer_wbinvl1"}) {
    EXPECT_EQ(special(source), "") << source;
  }
}

// A constant that looks like an instruction is none.
TEST(Gfx9Code, ConstantsAreNotRead) {
  const auto clock = assembled("s_memtime s[0:1]");
  std::uint32_t word;
  std::memcpy(&word, clock.data(), 4);
  const auto hidden = assembled("s_mov_b32 s0, " + std::to_string(word) + "\nv_mov_b32 v0, " +
                                std::to_string(word) + "\ns_endpgm");
  EXPECT_TRUE(special_instructions(hidden).empty());
  EXPECT_EQ(special_instructions(assembled("s_mov_b32 s0, 7\ns_memtime s[2:3]\ns_endpgm")),
            std::set<std::string>{"s_memtime"});
}

TEST(Gfx9Code, ThePacketsSizesAreAKernelsAndTheRestIsNot) {
  KernelProperties properties;
  properties.dispatch_ptr = true;
  properties.dispatch_register = 4;
  const auto beyond = [&](const std::string& source) {
    return reads_beyond_sizes(assembled(source), properties);
  };
  EXPECT_FALSE(beyond("s_load_dword s0, s[4:5], 0x4\ns_load_dwordx4 s[8:11], s[4:5], 0xc"));
  EXPECT_TRUE(beyond("s_load_dword s0, s[4:5], 0x4\ns_load_dwordx2 s[0:1], s[4:5], 0x38"));
  EXPECT_TRUE(beyond("s_load_dwordx2 s[0:1], s[4:5], s9"));
  // Another pointer by then.
  EXPECT_FALSE(beyond("s_load_dwordx2 s[4:5], s[6:7], 0x0\ns_load_dwordx2 s[0:1], s[4:5], 0x38"));
  properties.dispatch_ptr = false;
  EXPECT_FALSE(beyond("s_load_dwordx2 s[0:1], s[4:5], 0x38"));
}

}  // namespace
}  // namespace geak::replay

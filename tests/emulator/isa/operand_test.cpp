// Machine code that no assembler makes: registers and constants where the instruction has none.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "tests/emulator/isa/assembler.h"
#include "tests/emulator/isa/machine.h"

namespace geak::emulator::testing {
namespace {

// The instruction with 9 bits of its second dword replaced.
std::string with_source(Arch arch, const std::string& source, unsigned position, unsigned operand) {
  const Assembled assembled = assemble(arch, source);
  EXPECT_EQ(assembled.text.size(), 8u) << assembled.error;
  std::uint32_t words[2] = {};
  std::memcpy(words, assembled.text.data(), sizeof words);
  words[1] = (words[1] & ~(0x1ffu << position)) | operand << position;
  return ".long " + std::to_string(words[0]) + ", " + std::to_string(words[1]);
}

// What the wave stopped with; empty if it ended.
std::string fault_of(Arch arch, const std::string& source) {
  Machine machine;
  EXPECT_TRUE(machine.load(arch, source)) << machine.error();
  MemoryMeter meter;  // matrix instructions count into their workgroup
  Workgroup group;
  group.memory = &meter;
  machine.wave().workgroup = &group;
  machine.run();
  return machine.wave().state == WaveState::faulted ? machine.wave().fault_message : "";
}

constexpr unsigned kFirst = 0, kSecond = 9, kThird = 18;

TEST(Operands, MatrixInstructionsTakeVectorRegisters) {
  const std::string dense = "v_mfma_f32_16x16x4f32 v[0:3], v8, v9, v[0:3]";
  const std::string sparse = "v_smfmac_f32_16x16x32_f16 v[0:3], v[8:9], v[12:15], v20";
  for (const Arch arch : {Arch::gfx90a, Arch::gfx942}) {
    // s5, VCC, M0, EXEC, 0, 0.5, VCCZ.
    for (const unsigned operand : {5u, 106u, 124u, 126u, 128u, 240u, 251u}) {
      for (const unsigned position : {kFirst, kSecond})
        EXPECT_NE(fault_of(arch, with_source(arch, dense, position, operand)), "") << operand;
    }
    EXPECT_NE(fault_of(arch, with_source(arch, dense, kThird, 4)), "");
    // C may be a constant.
    EXPECT_EQ(fault_of(arch, with_source(arch, dense, kThird, 128)), "");
    EXPECT_EQ(fault_of(arch, with_source(arch, dense, kThird, 242)), "");
    EXPECT_EQ(fault_of(arch, dense), "");
  }
  for (const unsigned operand : {5u, 128u})
    EXPECT_NE(fault_of(Arch::gfx942, with_source(Arch::gfx942, sparse, kThird, operand)), "");
}

TEST(Operands, LaneNumbersAndMasksAreScalar) {
  for (const Arch arch : {Arch::gfx90a, Arch::gfx942}) {
    EXPECT_NE(fault_of(arch, with_source(arch, "v_readlane_b32 s0, v1, s2", kSecond, 256 + 7)), "");
    EXPECT_NE(fault_of(arch, with_source(arch, "v_writelane_b32 v0, s1, s1", kFirst, 256 + 7)), "");
    EXPECT_NE(fault_of(arch, with_source(arch, "v_writelane_b32 v0, s1, s1", kSecond, 511)), "");
    EXPECT_NE(
        fault_of(arch, with_source(arch, "v_cndmask_b32_e64 v0, v1, v2, s[4:5]", kThird, 261)), "");
    EXPECT_EQ(fault_of(arch, with_source(arch, "v_readlane_b32 s0, v1, s2", kSecond, 128 + 7)), "");
  }
}

TEST(Operands, TheMessageNamesTheInstruction) {
  const std::string message =
      fault_of(Arch::gfx90a, with_source(Arch::gfx90a, "v_readlane_b32 s0, v1, s2", kSecond, 263));
  EXPECT_NE(message.find("v_readlane_b32"), std::string::npos) << message;
}

}  // namespace
}  // namespace geak::emulator::testing

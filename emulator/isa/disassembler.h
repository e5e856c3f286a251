// LLVM's AMDGPU disassembler and assembler behind a small interface: mnemonic and size of one
// instruction. Operand fields are read from the bits by encoding.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/model/device.h"

namespace geak::emulator {

// Registers that an instruction reads or writes, implied ones (VCC, EXEC, SCC, M0, ...) included.
struct RegisterUse {
  static constexpr std::uint16_t kScc = 253;
  std::uint16_t first = 0;  // an operand code as Instruction's; or kScc
  std::uint8_t count = 1;   // of dwords
  bool written = false;     // else read
};

// Not thread safe: one a thread.
class Disassembler {
 public:
  explicit Disassembler(Arch arch);
  ~Disassembler();
  Disassembler(Disassembler&&) noexcept;

  struct Result {
    std::string_view mnemonic;  // as printed: v_add_f32_e32; valid as long as the disassembler
    unsigned opcode = 0;        // LLVM's number: equal numbers have equal mnemonics
    unsigned size = 0;          // 0: not an instruction
    // LLVM decodes any register and constant wherever there is a field for one. False: a scalar
    // register or a constant where only a vector register can be, or the other way round.
    bool operands_fit = true;
  };
  Result decode(std::span<const std::byte> bytes, std::uint64_t address);
  // The whole line, for messages: "v_add_f32_e32 v0, v1, v2"; empty if not an instruction.
  std::string text(std::span<const std::byte> bytes, std::uint64_t address);
  // Empty if it is no instruction.
  std::vector<RegisterUse> registers(std::span<const std::byte> bytes, std::uint64_t address);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The encoding suffix (_e32, _e64, _sdwa, _dpp) removed.
std::string_view base_mnemonic(std::string_view mnemonic);

}  // namespace geak::emulator

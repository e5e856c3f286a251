#include "emulator/isa/program.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "emulator/isa/disassembler.h"
#include "emulator/isa/encoding.h"
#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"

namespace geak::emulator {
namespace {

// Decodes single instructions; remembers what each of LLVM's opcodes means.
class Decoder {
 public:
  explicit Decoder(Arch arch) : arch_(arch), disassembler_(arch) {}

  Instruction decode(std::span<const std::byte> bytes, std::uint32_t offset,
                     std::uint64_t address) {
    Instruction instruction;
    instruction.offset = offset;
    instruction.handler = execute_undecodable;
    const Disassembler::Result result = disassembler_.decode(bytes, address);
    if (result.size == 0) return instruction;
    auto [entry, is_new] = meanings_.try_emplace(result.opcode);
    if (is_new) {
      entry->second.name = base_mnemonic(result.mnemonic);
      entry->second.operation = OperationTable::instance().find(entry->second.name);
    }
    std::uint32_t words[3] = {};
    std::memcpy(words, bytes.data(), std::min<std::size_t>(result.size, sizeof words));
    instruction.size = static_cast<std::uint8_t>(result.size);
    if (!result.operands_fit) {
      instruction.handler = execute_unfit_operands;
      return instruction;
    }
    read_fields(arch_, entry->second.name, words, result.size, instruction);
    if (const Operation* operation = entry->second.operation) {
      instruction.operation = operation;
      instruction.counter = operation->counter;
      instruction.handler = operation->select ? operation->select(instruction) : operation->handler;
    } else {
      instruction.handler = execute_unimplemented;
    }
    return instruction;
  }

 private:
  struct Meaning {
    std::string name;
    const Operation* operation = nullptr;
  };
  Arch arch_;
  Disassembler disassembler_;
  std::unordered_map<unsigned, Meaning> meanings_;
};

bool is_direct_branch(const Instruction& instruction) {
  if (instruction.operation == nullptr) return false;
  const std::string& name = instruction.operation->mnemonic;
  return name.starts_with("s_cbranch_") ? !name.ends_with("_fork") && !name.ends_with("_join")
                                        : name == "s_branch" || name == "s_call_b64";
}

}  // namespace

Program::Program(Arch arch, std::span<const std::byte> text, std::uint64_t address,
                 std::span<const std::uint32_t> entries)
    : arch_(arch), text_(text), address_(address), index_by_dword_(text.size() / 4, -1) {
  Decoder decoder(arch);
  std::vector<std::uint32_t> starts(entries.begin(), entries.end());
  std::sort(starts.begin(), starts.end());
  auto next_start = starts.begin();
  const std::uint32_t end = static_cast<std::uint32_t>(text.size() & ~std::size_t{3});
  for (std::uint32_t offset = 0; offset < end;) {
    const Instruction decoded = decoder.decode(text.subspan(offset), offset, address + offset);
    next_start = std::upper_bound(next_start, starts.end(), offset);
    std::uint32_t following = offset + std::max<std::uint32_t>(decoded.size, 4);
    // An instruction that runs into a function's first byte was data.
    if (next_start != starts.end() && *next_start < following && *next_start % 4 == 0)
      following = *next_start;
    index_by_dword_[offset / 4] = static_cast<std::int32_t>(instructions_.size());
    instructions_.push_back(decoded);
    offset = following;
  }
  // Running past the end must fault, not read what lies behind.
  Instruction end_marker;
  end_marker.offset = end;
  end_marker.handler = execute_past_end;
  end_marker.last = true;
  instructions_.push_back(end_marker);
  instructions_.shrink_to_fit();
  resolve_branches();
}

void Program::resolve_branches() {
  for (std::size_t n = 0; n < instructions_.size(); ++n) {
    Instruction& instruction = instructions_[n];
    if (!is_direct_branch(instruction)) continue;
    const std::int64_t target =
        std::int64_t{instruction.offset} + 4 + std::int64_t{instruction.imm} * 4;
    const Instruction* at_target =
        target < 0 ? nullptr : at(address_ + static_cast<std::uint64_t>(target));
    // Distance 0 is a branch to itself, a legal endless loop, so a wild target gets its own
    // handler.
    if (at_target == nullptr)
      instruction.handler = execute_wild_branch;
    else
      instruction.target = static_cast<std::int32_t>(at_target - instructions_.data() -
                                                     static_cast<std::int64_t>(n));
  }
}

const Instruction* Program::at(std::uint64_t address) const {
  const std::uint64_t offset = address - address_;
  if (address < address_ || offset % 4 != 0 || offset / 4 >= index_by_dword_.size()) return nullptr;
  const std::int32_t index = index_by_dword_[offset / 4];
  return index < 0 ? nullptr : &instructions_[static_cast<std::size_t>(index)];
}

}  // namespace geak::emulator

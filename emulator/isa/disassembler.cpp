#include "emulator/isa/disassembler.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "emulator/isa/instruction.h"

namespace geak::emulator {
namespace {

constexpr const char* kTriple = "amdgcn-amd-amdhsa";

void initialize_llvm_once() {
  static std::once_flag flag;
  std::call_once(flag, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

struct Disassembler::State {
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asm_info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::unordered_map<unsigned, std::string> mnemonics;  // by LLVM opcode; nodes never move

  explicit State(Arch arch);
  std::uint64_t decode(std::span<const std::byte> bytes, std::uint64_t address, llvm::MCInst& inst);
  void add_use(std::vector<RegisterUse>& uses, llvm::MCRegister reg, bool written);
  bool operands_fit(const llvm::MCInst& inst);

 private:
  struct Kinds {
    bool vector = false, scalar = false;
  };
  std::unordered_map<unsigned, Kinds> kinds_;  // of registers in a class
  bool is_vector(llvm::MCRegister reg) const;
  const Kinds& kinds_of(unsigned register_class);
  std::unordered_map<unsigned, unsigned> bits_;  // of a register
  unsigned bits_of(llvm::MCRegister reg);
};

Disassembler::State::State(Arch arch) {
  initialize_llvm_once();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (target == nullptr) throw std::runtime_error("LLVM has no AMDGPU target: " + error);
  const std::string cpu(to_string(arch));
  registers.reset(target->createMCRegInfo(kTriple));
  asm_info.reset(target->createMCAsmInfo(*registers, kTriple, options));
  instructions.reset(target->createMCInstrInfo());
  subtarget.reset(target->createMCSubtargetInfo(kTriple, cpu, ""));
  context = std::make_unique<llvm::MCContext>(llvm::Triple(kTriple), asm_info.get(),
                                              registers.get(), subtarget.get());
  disassembler.reset(target->createMCDisassembler(*subtarget, *context));
  printer.reset(
      target->createMCInstPrinter(llvm::Triple(kTriple), 0, *asm_info, *instructions, *registers));
  if (!disassembler || !printer) throw std::runtime_error("LLVM cannot disassemble " + cpu);
}

std::uint64_t Disassembler::State::decode(std::span<const std::byte> bytes, std::uint64_t address,
                                          llvm::MCInst& inst) {
  std::uint64_t size = 0;
  const llvm::ArrayRef<std::uint8_t> array(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                           bytes.size());
  const auto status = disassembler->getInstruction(inst, size, array, address, llvm::nulls());
  return status == llvm::MCDisassembler::Success && size <= bytes.size() ? size : 0;
}

// In LLVM's encoding of a register.
constexpr unsigned kVectorBit = 1 << 8;

bool Disassembler::State::is_vector(llvm::MCRegister reg) const {
  return (registers->getEncodingValue(reg) & kVectorBit) != 0;
}

const Disassembler::State::Kinds& Disassembler::State::kinds_of(unsigned register_class) {
  const auto [place, is_new] = kinds_.try_emplace(register_class);
  if (is_new) {
    for (const llvm::MCPhysReg reg : registers->getRegClass(register_class))
      (is_vector(reg) ? place->second.vector : place->second.scalar) = true;
  }
  return place->second;
}

bool Disassembler::State::operands_fit(const llvm::MCInst& inst) {
  const auto infos = instructions->get(inst.getOpcode()).operands();
  const std::size_t count = std::min<std::size_t>(inst.getNumOperands(), infos.size());
  for (std::size_t n = 0; n < count; ++n) {
    const llvm::MCOperand& operand = inst.getOperand(static_cast<unsigned>(n));
    if (infos[n].RegClass < 0) continue;
    if (operand.isReg() && operand.getReg()) {
      const Kinds& kinds = kinds_of(static_cast<unsigned>(infos[n].RegClass));
      if (is_vector(operand.getReg()) ? !kinds.vector : !kinds.scalar) return false;
    }
    // The other types of operands are LLVM's own for registers or constants.
    if (operand.isImm() && (infos[n].OperandType == llvm::MCOI::OPERAND_REGISTER ||
                            infos[n].OperandType == llvm::MCOI::OPERAND_UNKNOWN))
      return false;
  }
  return true;
}

// The size of the smallest class that holds it.
unsigned Disassembler::State::bits_of(llvm::MCRegister reg) {
  unsigned& bits = bits_[reg.id()];
  if (bits != 0) return bits;
  bits = 32;
  bool known = false;
  for (const llvm::MCRegisterClass& each : registers->regclasses()) {
    if (!each.contains(reg) || each.getSizeInBits() < 32) continue;
    bits = known ? std::min(bits, each.getSizeInBits()) : each.getSizeInBits();
    known = true;
  }
  return bits;
}

// LLVM's encoding of a register has its number in the low 8 bits and kVectorBit;
// what it does not tell is told by the name.
void Disassembler::State::add_use(std::vector<RegisterUse>& uses, llvm::MCRegister reg,
                                  bool written) {
  if (!reg) return;
  const llvm::StringRef name = registers->getName(reg);
  const unsigned encoding = registers->getEncodingValue(reg);
  unsigned code = encoding & 0xff;
  if (encoding & kVectorBit)
    code += name.starts_with("AGPR") ? kAccumulator0 : kVector0;
  else if (name == "SCC")
    code = RegisterUse::kScc;
  else if (name.starts_with("FLAT_SCR"))
    code = 102;
  else if (name == "M0")
    code = kM0;
  else if (code >= 128 || name == "MODE")
    return;  // apertures and other registers that nobody tracks
  RegisterUse use;
  use.first = static_cast<std::uint16_t>(code);
  use.count = static_cast<std::uint8_t>(std::max(bits_of(reg) / 32, 1u));
  use.written = written;
  uses.push_back(use);
}

std::vector<RegisterUse> Disassembler::registers(std::span<const std::byte> bytes,
                                                 std::uint64_t address) {
  llvm::MCInst inst;
  std::vector<RegisterUse> uses;
  if (state_->decode(bytes, address, inst) == 0) return uses;
  const llvm::MCInstrDesc& desc = state_->instructions->get(inst.getOpcode());
  for (unsigned n = 0; n < inst.getNumOperands(); ++n) {
    const llvm::MCOperand& operand = inst.getOperand(n);
    if (!operand.isReg()) continue;
    state_->add_use(uses, operand.getReg(), n < desc.getNumDefs());
    // An operand that is tied to a result is read as well.
    if (n >= desc.getNumDefs() || desc.operands().empty()) continue;
    for (unsigned other = desc.getNumDefs(); other < desc.getNumOperands(); ++other) {
      if (desc.getOperandConstraint(other, llvm::MCOI::TIED_TO) == static_cast<int>(n))
        state_->add_use(uses, operand.getReg(), false);
    }
  }
  for (const llvm::MCPhysReg reg : desc.implicit_defs()) state_->add_use(uses, reg, true);
  for (const llvm::MCPhysReg reg : desc.implicit_uses()) state_->add_use(uses, reg, false);
  return uses;
}

Disassembler::Disassembler(Arch arch) : state_(std::make_unique<State>(arch)) {}
Disassembler::~Disassembler() = default;
Disassembler::Disassembler(Disassembler&&) noexcept = default;

Disassembler::Result Disassembler::decode(std::span<const std::byte> bytes, std::uint64_t address) {
  llvm::MCInst inst;
  Result result;
  result.size = static_cast<unsigned>(state_->decode(bytes, address, inst));
  if (result.size == 0) return result;
  result.opcode = inst.getOpcode();
  result.operands_fit = state_->operands_fit(inst);
  auto [entry, is_new] = state_->mnemonics.try_emplace(inst.getOpcode());
  if (is_new) {
    // A fixed first operand ("off") belongs to the printed mnemonic.
    const std::string_view printed = trim(state_->printer->getMnemonic(&inst).first);
    entry->second = printed.substr(0, printed.find_first_of(" \t"));
  }
  result.mnemonic = entry->second;
  return result;
}

std::string Disassembler::text(std::span<const std::byte> bytes, std::uint64_t address) {
  llvm::MCInst inst;
  if (state_->decode(bytes, address, inst) == 0) return {};
  std::string text;
  llvm::raw_string_ostream stream(text);
  state_->printer->printInst(&inst, address, "", *state_->subtarget, stream);
  return std::string(trim(text));
}

std::string_view base_mnemonic(std::string_view mnemonic) {
  for (std::string_view suffix : {"_e32", "_e64", "_sdwa", "_dpp"})
    if (mnemonic.ends_with(suffix)) return mnemonic.substr(0, mnemonic.size() - suffix.size());
  return mnemonic;
}

}  // namespace geak::emulator

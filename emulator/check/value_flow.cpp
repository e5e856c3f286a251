// How bits that nobody wrote spread from register to register: the instruction is executed with
// them filled in several ways, and the result bits that differ depend on them. So masks, shifts,
// selections and exchanges between lanes are exact, with no table of instructions.
#include <cstring>
#include <span>

#include "emulator/check/checker.h"
#include "emulator/check/group_state.h"
#include "emulator/isa/interpreter.h"
#include "emulator/isa/memory/addresses.h"
#include "emulator/isa/operation.h"

namespace geak::emulator::check {
namespace {

// What a wave holds in the registers of an instruction.
class Snapshot {
 public:
  Snapshot(const WaveSlot& wave, std::span<const RegisterUse> uses) { take(wave, uses); }

  void take(const WaveSlot& wave, std::span<const RegisterUse> uses) {
    rows_.clear();
    for (const RegisterUse& use : uses) {
      if (!is_vector_operand(use.first)) continue;
      const unsigned first = static_cast<unsigned>(&wave.row(use.first) - wave.v);
      for (unsigned r = first; r < first + use.count && r < kVectorRows; ++r) {
        Row& row = rows_.emplace_back();
        row.index = r;
        std::memcpy(row.lanes, wave.v[r], sizeof(Lanes));
      }
    }
    std::memcpy(sgpr_, wave.sgpr, sizeof sgpr_);
    scc_ = wave.scc;
  }
  void put(WaveSlot& wave) const {
    for (const Row& row : rows_) std::memcpy(wave.v[row.index], row.lanes, sizeof(Lanes));
    std::memcpy(wave.sgpr, sgpr_, sizeof sgpr_);
    wave.scc = scc_;
  }
  void clear() {
    for (Row& row : rows_) std::memset(row.lanes, 0, sizeof row.lanes);
    std::memset(sgpr_, 0, sizeof sgpr_);
    scc_ = 0;
  }
  // The bits in which two others of the same registers differ.
  void add_changes(const Snapshot& one, const Snapshot& other) {
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        rows_[n].lanes[lane] |= one.rows_[n].lanes[lane] ^ other.rows_[n].lanes[lane];
    }
    for (unsigned n = 0; n < RegisterShadow::kScalars; ++n)
      sgpr_[n] |= one.sgpr_[n] ^ other.sgpr_[n];
    scc_ |= one.scc_ ^ other.scc_;
  }
  std::uint32_t scalar(unsigned code) const { return sgpr_[code]; }
  std::uint32_t scc() const { return scc_; }
  std::uint32_t lane(std::size_t row, unsigned lane) const { return rows_[row].lanes[lane]; }

 private:
  struct Row {
    unsigned index;
    alignas(64) Lanes lanes;
  };
  std::vector<Row> rows_;
  std::uint32_t sgpr_[RegisterShadow::kScalars];
  std::uint32_t scc_ = 0;
};

// No and all bits, and numbers that are small and large as integers and as floats.
constexpr std::uint32_t kPatterns[] = {0, ~0u, 0x3a5c96e1, 0x7e5c96e1};

// Results of these depend on their sources bit by bit; of others all bits do once one does.
bool is_bitwise(const Operation& operation) {
  static constexpr std::string_view kParts[] = {
      "mov",     "_and_",    "_or_",     "_or3_",     "_xor_",         "_not_",          "_bfi_",
      "_bfe_",   "_bfm_",    "lshl",     "lshr",      "ashr",          "perm",           "align",
      "cndmask", "cselect",  "readlane", "writelane", "readfirstlane", "swizzle",        "accvgpr",
      "andn",    "orn",      "nand",     "_nor_",     "xnor",          "_pack_",         "_sext_",
      "wqm",     "quadmask", "saveexec", "v_swap",    "v_cmp",         "_cvt_f32_ubyte", "_lo_u16",
      "bitset",  "brev"};
  for (const std::string_view part : kParts) {
    if (operation.mnemonic.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

const std::vector<RegisterUse>& Checker::uses_of(const Program& program,
                                                 const Instruction& instruction) {
  ProgramForms& forms = forms_of(program);
  if (forms.uses.empty()) {
    forms.uses.resize(program.instructions().size());
    forms.has_uses.resize(program.instructions().size());
  }
  const auto index = static_cast<std::size_t>(&instruction - program.instructions().data());
  if (!forms.has_uses[index]) {
    forms.has_uses[index] = true;
    if (instruction.offset < program.bytes()) {
      auto& disassembler = disassemblers_[program.arch() == Arch::gfx942];
      if (!disassembler) disassembler = std::make_unique<Disassembler>(program.arch());
      forms.uses[index] = disassembler->registers(program.text().subspan(instruction.offset),
                                                  program.address_of(instruction));
    }
  }
  return forms.uses[index];
}

// The origin of what an instruction reads that nobody wrote; false when it reads no such thing.
bool Checker::tainted_source(const WaveSlot& wave, std::span<const RegisterUse> uses,
                             std::uint16_t& origin) {
  const RegisterShadow& registers = checks_of(wave).registers;
  for (const RegisterUse& use : uses) {
    if (use.written) continue;
    if (use.first == RegisterUse::kScc) {
      if (registers.scc) return origin = registers.scc_origin, true;
      continue;
    }
    if (!is_vector_operand(use.first)) {
      for (unsigned code = use.first; code < use.first + unsigned{use.count}; ++code) {
        if (code < RegisterShadow::kScalars && registers.scalars[code])
          return origin = registers.scalar_origin[code], true;
      }
      continue;
    }
    const unsigned first = static_cast<unsigned>(&wave.row(use.first) - wave.v);
    for (unsigned r = first; r < first + use.count && r < kVectorRows; ++r) {
      if (registers.rows[r]) return origin = registers.row_origin[r], true;
    }
  }
  return false;
}

void Checker::clear_results(WaveSlot& wave, std::span<const RegisterUse> uses) {
  RegisterShadow& registers = checks_of(wave).registers;
  for (const RegisterUse& use : uses) {
    if (!use.written) continue;
    if (use.first == RegisterUse::kScc) {
      registers.scc = false;
    } else if (!is_vector_operand(use.first)) {
      for (unsigned code = use.first; code < use.first + unsigned{use.count}; ++code)
        set_scalar_shadow(registers, code, 0, 0);
    } else {
      const unsigned first = static_cast<unsigned>(&wave.row(use.first) - wave.v);
      for (unsigned r = first; r < first + use.count && r < kVectorRows; ++r) {
        if (!registers.rows[r]) continue;
        for_lanes(wave.exec(), [&](unsigned lane) { registers.v[r][lane] = 0; });
        drop_clean_rows(registers, r, 1);
      }
    }
  }
}

// Fills the unwritten bits of all registers that the instruction reads.
void Checker::fill_sources(WaveSlot& wave, std::span<const RegisterUse> uses,
                           std::uint32_t pattern) {
  const RegisterShadow& registers = checks_of(wave).registers;
  const auto fill = [pattern](std::uint32_t& value, std::uint32_t bits) {
    value = (value & ~bits) | (pattern & bits);
  };
  for (const RegisterUse& use : uses) {
    if (use.written) continue;
    if (use.first == RegisterUse::kScc) {
      if (registers.scc) wave.scc = pattern & 1;
    } else if (!is_vector_operand(use.first)) {
      for (unsigned code = use.first;
           code < use.first + unsigned{use.count} && code < RegisterShadow::kScalars; ++code)
        fill(wave.sgpr[code], registers.s[code]);
    } else {
      const unsigned first = static_cast<unsigned>(&wave.row(use.first) - wave.v);
      for (unsigned r = first; r < first + use.count && r < kVectorRows; ++r) {
        if (!registers.rows[r]) continue;
        for (unsigned lane = 0; lane < kLanes; ++lane) fill(wave.v[r][lane], registers.v[r][lane]);
      }
    }
  }
}

void Checker::follow_values(WaveSlot& wave, const Instruction& instruction) {
  const std::span<const RegisterUse> uses = uses_of(*wave.program, instruction);
  std::uint16_t origin = 0;
  if (!tainted_source(wave, uses, origin)) return clear_results(wave, uses);
  const Snapshot before(wave, uses);
  const auto state = wave.state;
  const auto mode = wave.mode;
  const auto run = [&](std::uint32_t pattern) {
    fill_sources(wave, uses, pattern);
    execute_one(wave, &instruction);
    Snapshot after(wave, uses);
    before.put(wave);
    wave.state = state;
    wave.mode = mode;
    return after;
  };
  const Snapshot first = run(kPatterns[0]);
  Snapshot changes = first;
  changes.clear();
  for (unsigned n = 1; n < std::size(kPatterns); ++n) changes.add_changes(first, run(kPatterns[n]));
  RegisterShadow& registers = checks_of(wave).registers;
  const bool bitwise = instruction.operation && is_bitwise(*instruction.operation);
  std::size_t row_index = 0;
  for (const RegisterUse& use : uses) {
    if (use.first == RegisterUse::kScc) {
      if (!use.written) continue;
      registers.scc = changes.scc() != 0;
      registers.scc_origin = origin;
    } else if (!is_vector_operand(use.first)) {
      if (!use.written) continue;
      std::uint32_t any = 0;
      for (unsigned code = use.first; code < use.first + unsigned{use.count}; ++code)
        any |= changes.scalar(code);
      for (unsigned code = use.first; code < use.first + unsigned{use.count}; ++code) {
        std::uint32_t bits = changes.scalar(code);
        if (any && !bitwise && instruction.format != Format::vop3) bits = ~0u;
        if (code / 2 == kExec / 2) {
          if (bits)
            report_use(wave, instruction, origin, static_cast<unsigned>(std::countr_zero(bits)),
                       "decides which work-items go on");
          bits = 0;
        }
        set_scalar_shadow(registers, code, bits, origin);
      }
    } else {
      const unsigned first = static_cast<unsigned>(&wave.row(use.first) - wave.v);
      for (unsigned r = first; r < first + use.count && r < kVectorRows; ++r, ++row_index) {
        if (!use.written) continue;
        bool any = registers.rows[r];
        for (unsigned lane = 0; lane < kLanes && !any; ++lane)
          any = changes.lane(row_index, lane) != 0;
        if (!any) continue;
        Lanes& shadow = registers.row(r);
        for_lanes(wave.exec(), [&](unsigned lane) {
          std::uint32_t bits = changes.lane(row_index, lane);
          shadow[lane] = bits && !bitwise ? ~0u : bits;
        });
        registers.row_origin[r] = origin;
        drop_clean_rows(registers, r, 1);
      }
    }
  }
}

// A branch that depends on such bits.
void Checker::check_branch(WaveSlot& wave, const Instruction& instruction) {
  RegisterShadow& registers = checks_of(wave).registers;
  const std::string_view name = instruction.operation->mnemonic;
  const unsigned lane = static_cast<unsigned>(std::countr_zero(wave.exec() | 1ull << 63));
  if (name.starts_with("s_cbranch_scc") && registers.scc) {
    report_use(wave, instruction, registers.scc_origin, lane, "decides a branch");
    registers.scc = false;
  } else if (name.starts_with("s_cbranch_vcc")) {
    const std::uint64_t unwritten = registers.s[kVcc] | std::uint64_t{registers.s[kVcc + 1]} << 32;
    if (unwritten == 0 || (wave.vcc() & ~unwritten) != 0) return;
    const unsigned code = registers.s[kVcc] ? kVcc : kVcc + 1;
    report_use(wave, instruction, registers.scalar_origin[code], lane, "decides a branch");
    set_scalar_shadow(registers, kVcc, 0, 0);
    set_scalar_shadow(registers, kVcc + 1, 0, 0);
  }
}

// Before a memory instruction: its addresses. They are sources that are not data.
void Checker::check_address(WaveSlot& wave, const Instruction& instruction,
                            const Accesses& accesses) {
  RegisterShadow& registers = checks_of(wave).registers;
  if (!accesses.count) return;
  const auto scalar = [&](std::uint16_t code, unsigned count) {
    for (unsigned c = code; c < code + count && c < RegisterShadow::kScalars; ++c) {
      if (!registers.scalars[c]) continue;
      report_use(wave, instruction, registers.scalar_origin[c], 0, "is used as an address");
      set_scalar_shadow(registers, c, 0, 0);
    }
  };
  if (accesses.each[0].scalar) return scalar(instruction.src[0], 2);
  if (instruction.src[2] < RegisterShadow::kScalars && instruction.format == Format::flat)
    scalar(instruction.src[2], 2);
  if (!is_vector_operand(instruction.src[0])) return;
  const unsigned first = static_cast<unsigned>(&wave.row(instruction.src[0]) - wave.v);
  const bool scratch =
      instruction.format == Format::flat && instruction.segment == Segment::scratch;
  const bool pair =
      instruction.format == Format::flat && instruction.src[2] == kNoOperand && !scratch;
  const bool used =
      scratch ? scratch_uses_vector(wave.program->arch(), instruction)
              : instruction.format != Format::mubuf || (instruction.memory & (kIdxen | kOffen));
  for (unsigned r = first; used && r < first + (pair ? 2u : 1u); ++r) {
    if (!registers.rows[r]) continue;
    for_lanes(wave.exec(), [&](unsigned lane) {
      if (registers.v[r][lane] == 0) return;
      report_use(wave, instruction, registers.row_origin[r], lane, "is used as an address");
      registers.v[r][lane] = 0;
    });
    drop_clean_rows(registers, r, 1);
  }
}

}  // namespace geak::emulator::check

// hazardcheck: what the hardware leaves to the program. Results of memory instructions are there
// after an s_waitcnt; some results of other instructions only after a number of wait states (an
// instruction is one, s_nop N is N + 1). The numbers are those of AMD's ISA manuals of MI200 and
// MI300 ("Manually Inserted Wait States") as LLVM's AMDGPU backend keeps them.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/check/checker.h"
#include "emulator/check/group_state.h"
#include "emulator/isa/operation.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {
namespace {

bool is_vector_alu(const Instruction& i) {
  switch (i.format) {
    case Format::vop1:
    case Format::vop2:
    case Format::vopc:
    case Format::vop3:
    case Format::vop3p:
    case Format::mai:
      return true;
    default:
      return false;
  }
}

bool is_vector_memory(const Instruction& i) {
  return i.format == Format::flat || i.format == Format::mubuf || i.format == Format::mtbuf;
}

bool is_matrix(const Instruction& i) { return i.counter == InstructionClass::matrix; }

bool contains(const Instruction& i, std::string_view part) {
  return i.operation && i.operation->mnemonic.find(part) != std::string::npos;
}

// Wait states from a matrix instruction of gfx90a to who uses its result.
unsigned matrix_wait(const Instruction& writer, bool by_memory) {
  if (contains(writer, "_f64_")) {
    if (contains(writer, "4x4x4")) return by_memory ? 9 : 6;
    return by_memory ? 18 : 11;
  }
  if (contains(writer, "4x4x")) return 5;
  return contains(writer, "16x16x") ? 11 : 19;
}

struct Waits {
  std::uint32_t vector, local;
};
// VMCNT in bits 15:14 and 3:0, LGKMCNT in bits 11:8 (ISA manuals, S_WAITCNT).
Waits waits_of(const Instruction& i) {
  const auto bits = static_cast<std::uint32_t>(i.imm);
  return {(bits & 0xf) | (bits >> 14 & 3) << 4, bits >> 8 & 0xf};
}

}  // namespace

template <typename Visit>
void Checker::for_registers(const WaveSlot& wave, const RegisterUse& use, Visit&& visit) {
  if (use.first == RegisterUse::kScc) return;
  const bool vector = is_vector_operand(use.first);
  const unsigned first =
      vector ? static_cast<unsigned>(&wave.row(use.first) - wave.v) : unsigned{use.first};
  const unsigned end =
      std::min<unsigned>(first + use.count, vector ? kVectorRows : RegisterShadow::kScalars);
  for (unsigned n = first; n < end; ++n) visit(vector ? HazardState::kScalars + n : n);
}

void Checker::check_hazards(WaveSlot& wave, const Instruction& instruction,
                            const AccessForm& form) {
  HazardState& state = checks_of(wave).hazards;
  const std::span<const RegisterUse> uses = uses_of(*wave.program, instruction);
  if (contains(instruction, "s_waitcnt")) {
    const Waits waits = waits_of(instruction);
    state.wait(waits.vector, waits.local);
  } else {
    for (const RegisterUse& use : uses) {
      for_registers(wave, use, [&](unsigned reg) {
        check_pending(wave, instruction, form, use, reg);
        check_wait_states(wave, instruction, form, use, reg);
      });
    }
  }
  issue(wave, instruction, form, uses);
  const bool is_nop = contains(instruction, "s_nop");
  state.now += is_nop ? static_cast<unsigned>(instruction.imm & 0xf) + 1 : 1;
}

// A register whose value is still on its way from memory.
void Checker::check_pending(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                            const RegisterUse& use, unsigned reg) {
  HazardState& state = checks_of(wave).hazards;
  HazardState::Register& entry = state.registers[reg];
  if (!entry.loader || !state.is_pending(entry)) return;
  // Loads by the same unit come back in order.
  const bool same_unit =
      use.written && form.direction == Direction::read &&
      ((is_vector_memory(instruction) && is_vector_memory(*entry.loader)) ||
       (instruction.format == Format::ds && entry.loader->format == Format::ds) ||
       (instruction.format == Format::smem && entry.loader->format == Format::smem));
  if (same_unit) return;
  if (wanted(wave, instruction, "missing_waitcnt")) {
    Finding finding;
    finding.tool = "hazardcheck";
    finding.kind = "missing_waitcnt";
    finding.message =
        fmt::format("{} of {} before an s_waitcnt {} for the instruction that loads it",
                    use.written ? "write" : "read", register_name(reg),
                    is_vector_memory(*entry.loader) ? "vmcnt" : "lgkmcnt");
    finding.other = place_of(wave, *entry.loader, 0);
    finding.other_role = "loaded";
    report(wave, instruction, std::move(finding), 0);
  }
  entry.loader = nullptr;
}

// A register that was written a moment ago.
void Checker::check_wait_states(WaveSlot& wave, const Instruction& instruction,
                                const AccessForm& form, const RegisterUse& use, unsigned reg) {
  const HazardState& state = checks_of(wave).hazards;
  const HazardState::Register& entry = state.registers[reg];
  if (!entry.writer) return;
  const bool vector = reg >= HazardState::kScalars;
  const bool memory = is_vector_memory(instruction) || form.kind != AccessForm::Kind::none;
  const bool gfx90a = wave.program->arch() == Arch::gfx90a;
  unsigned needed = 0;
  if (vector) {
    if (is_matrix(*entry.writer)) {
      const bool accumulates = is_matrix(instruction) && instruction.src[2] != kNoOperand &&
                               use.first == instruction.src[2];
      const bool overwrites = is_matrix(instruction) && use.written;
      if (gfx90a && !accumulates && !overwrites)
        needed = matrix_wait(*entry.writer, memory && !use.written);
    } else if (!use.written && instruction.form == Form::dpp && use.first == instruction.src[0]) {
      needed = 2;
    }
  } else if (!use.written) {
    if (is_vector_memory(instruction) && reg / 2 != kExec / 2)
      needed = 5;
    else if (contains(instruction, "v_readlane") || contains(instruction, "v_writelane"))
      needed = instruction.src[1] == use.first ? 4 : 0;
    else if (contains(instruction, "v_div_fmas") && reg / 2 == kVcc / 2)
      needed = 4;
    else if (instruction.form == Form::dpp && reg / 2 == kExec / 2)
      needed = 5;
  }
  const std::uint64_t since = state.now - entry.written - 1;
  if (since >= needed || !wanted(wave, instruction, "missing_wait_states")) return;
  Finding finding;
  finding.tool = "hazardcheck";
  finding.kind = "missing_wait_states";
  finding.message =
      fmt::format("{} of {} {} wait states after it was written; the hardware needs {}",
                  use.written ? "write" : "read", register_name(reg), since, needed);
  finding.other = place_of(wave, *entry.writer, 0);
  finding.other_role = "written";
  report(wave, instruction, std::move(finding), 0);
}

// What the instruction leaves behind.
void Checker::issue(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                    std::span<const RegisterUse> uses) {
  HazardState& state = checks_of(wave).hazards;
  const bool flat = form.kind == AccessForm::Kind::flat;
  const bool vector_memory =
      is_vector_memory(instruction) &&
      (form.kind != AccessForm::Kind::none || contains(instruction, "buffer_wbl2"));
  const bool local = instruction.format == Format::ds || instruction.format == Format::smem || flat;
  if (vector_memory) ++state.vector_issued;
  if (local) ++state.local_issued;
  if (instruction.format == Format::smem || flat) state.out_of_order = state.local_issued;
  const bool alu = is_vector_alu(instruction);
  for (const RegisterUse& use : uses) {
    if (!use.written) continue;
    for_registers(wave, use, [&](unsigned reg) {
      HazardState::Register& entry = state.registers[reg];
      entry = {};
      if (vector_memory || local) {
        entry.loader = &instruction;
        entry.vector_index = vector_memory ? state.vector_issued : 0;
        entry.local_index = local ? state.local_issued : 0;
      } else if (alu) {
        entry.writer = &instruction;
        entry.written = state.now;
      }
    });
  }
}

std::string Checker::register_name(unsigned reg) {
  if (reg >= HazardState::kScalars) return fmt::format("v{}", reg - HazardState::kScalars);
  if (reg / 2 == kVcc / 2) return "vcc";
  if (reg / 2 == kExec / 2) return "exec";
  return fmt::format("s{}", reg);
}

void HazardState::wait(std::uint32_t vector, std::uint32_t local) {
  if (vector_issued - vector_done > vector) vector_done = vector_issued - vector;
  // Scalar loads and flat instructions come back in any order, so that only 0 tells of them.
  if (local == 0)
    local_done = local_issued;
  else if (out_of_order <= local_done && local_issued - local_done > local)
    local_done = local_issued - local;
}

bool HazardState::is_pending(const Register& entry) const {
  return entry.vector_index > vector_done || entry.local_index > local_done;
}

}  // namespace geak::emulator::check

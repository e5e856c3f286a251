// hazardcheck: what the hardware leaves to the program. Results of memory instructions are there
// after an s_waitcnt; some results of other instructions only after a number of wait states, of
// which wait_states.h has the rules.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/check/checker.h"
#include "emulator/check/group_state.h"
#include "emulator/isa/operation.h"
#include "emulator/isa/register_indexing.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {
namespace {

bool is_vector_memory(const Instruction& i) {
  return i.format == Format::flat || i.format == Format::mubuf || i.format == Format::mtbuf;
}

bool is_buffer(const Instruction& i) {
  return i.format == Format::mubuf || i.format == Format::mtbuf;
}

std::string_view name_of(const Instruction& i) {
  return i.operation ? std::string_view(i.operation->mnemonic) : std::string_view();
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

void Checker::check_hazards(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                            const HazardForm& hazards) {
  HazardState& state = checks_of(wave).hazards;
  const std::string_view name = name_of(instruction);
  const std::span<const RegisterUse> uses = uses_of(*wave.program, instruction);
  if (name == "s_waitcnt") {
    const Waits waits = waits_of(instruction);
    state.wait(waits.vector, waits.local);
  } else if (!hazards.vector_alu || !(wave.mode & kModeIndexing)) {
    // Under register indexing the registers that are named are not those that are used.
    for (const RegisterUse& use : uses) {
      check_allocated(wave, instruction, use);
      for_registers(wave, use, [&](unsigned reg) {
        check_pending(wave, instruction, form, use, reg);
        check_wait_states(wave, instruction, hazards, use, reg);
      });
    }
    check_other_waits(wave, instruction, hazards);
  }
  issue(wave, instruction, form, hazards, uses);
  state.now += name == "s_nop" ? static_cast<unsigned>(instruction.imm & 0xf) + 1 : 1;
  // Code is fetched anew at a jump into or out of a function, which takes longer than any wait.
  if (name == "s_setpc_b64" || name == "s_swappc_b64" || name == "s_call_b64")
    state.now += kMostWaitStates;
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

// A register that was written, or is still to be read, a moment ago.
void Checker::check_wait_states(WaveSlot& wave, const Instruction& instruction,
                                const HazardForm& hazards, const RegisterUse& use, unsigned reg) {
  const HazardState& state = checks_of(wave).hazards;
  const HazardState::Register& entry = state.registers[reg];
  const Arch arch = wave.program->arch();
  RegisterTouch touch;
  touch.code = static_cast<std::uint16_t>(reg);
  touch.vector = reg >= HazardState::kScalars;
  touch.written = use.written;
  if (entry.writer && state.now - entry.written <= kMostWaitStates) {
    const bool of_result =
        name_of(instruction).starts_with("v_smfmac") || instruction.src[2] == kNoOperand;
    touch.accumulator =
        !use.written && use.first == (of_result ? instruction.dst : instruction.src[2]);
    touch.same = use.first == entry.written_as.first && use.count == entry.written_as.count;
    touch.lane = !touch.vector && (hazards.lane_read || hazards.lane_write) &&
                 use.first == instruction.src[1];
    unsigned needed = wait_after_write(arch, *entry.writer_form, hazards, touch);
    if (touch.vector && !use.written && state.f64_matrix && state.f64_matrix_at > entry.written)
      needed = std::max(needed, wait_around_f64_matrix(arch, *entry.writer_form, hazards));
    require_wait(wave, instruction, reg, use.written ? "write" : "read", *entry.writer,
                 entry.written, needed);
  }
  if (entry.reader && touch.vector && use.written)
    require_wait(wave, instruction, reg, "write", *entry.reader, entry.read,
                 wait_after_read(arch, *entry.reader_form, hazards));
}

// Those that are no matter of a register that both name.
void Checker::check_other_waits(WaveSlot& wave, const Instruction& instruction,
                                const HazardForm& hazards) {
  HazardState& state = checks_of(wave).hazards;
  if (state.f64_matrix)
    require_wait(wave, instruction, {}, "start", *state.f64_matrix, state.f64_matrix_at,
                 wait_after_f64_matrix(hazards));
  const std::string_view name = name_of(instruction);
  if (!name.starts_with("s_getreg_") && !name.starts_with("s_setreg_")) return;
  const unsigned number = static_cast<unsigned>(instruction.imm) & 0x3f;
  if (const auto set = state.set_registers.find(number); set != state.set_registers.end())
    require_wait(wave, instruction, {}, "access to a hardware register", *set->second.first,
                 set->second.second, 2);
  if (name.starts_with("s_setreg_")) state.set_registers[number] = {&instruction, state.now};
}

void Checker::require_wait(WaveSlot& wave, const Instruction& instruction,
                           std::optional<unsigned> reg, const char* what, const Instruction& other,
                           std::uint64_t other_at, unsigned needed) {
  const std::uint64_t since = checks_of(wave).hazards.now - other_at - 1;
  if (since >= needed || !wanted(wave, instruction, "missing_wait_states")) return;
  Finding finding;
  finding.tool = "hazardcheck";
  finding.kind = "missing_wait_states";
  finding.message =
      fmt::format("{}{} {} wait states after {}; the hardware needs {}", what,
                  reg ? " of " + register_name(*reg) : "", since, name_of(other), needed);
  finding.other = place_of(wave, other, 0);
  finding.other_role = "after";
  report(wave, instruction, std::move(finding), 0);
}

// What the instruction leaves behind.
void Checker::issue(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                    const HazardForm& hazards, std::span<const RegisterUse> uses) {
  HazardState& state = checks_of(wave).hazards;
  const bool flat = form.kind == AccessForm::Kind::flat;
  const bool vector_memory =
      is_vector_memory(instruction) &&
      (form.kind != AccessForm::Kind::none || name_of(instruction).starts_with("buffer_wbl2"));
  const bool local = instruction.format == Format::ds || instruction.format == Format::smem || flat;
  if (vector_memory) ++state.vector_issued;
  if (local) ++state.local_issued;
  if (instruction.format == Format::smem || flat) state.out_of_order = state.local_issued;
  if (hazards.f64) {
    state.f64_matrix = &instruction;
    state.f64_matrix_at = state.now;
  }
  remember_late_reads(wave, instruction, hazards, uses);
  for (const RegisterUse& use : uses) {
    if (!use.written) continue;
    for_registers(wave, use, [&](unsigned reg) {
      HazardState::Register& entry = state.registers[reg];
      entry = {};
      if (vector_memory || local) {
        entry.loader = &instruction;
        entry.vector_index = vector_memory ? state.vector_issued : 0;
        entry.local_index = local ? state.local_issued : 0;
      } else if (hazards.vector_alu || hazards.scalar_alu) {
        entry.writer = &instruction;
        entry.writer_form = &hazards;
        entry.written = state.now;
        entry.written_as = use;
      }
    });
  }
}

// C of matrix instructions, and the data of wide stores.
void Checker::remember_late_reads(WaveSlot& wave, const Instruction& instruction,
                                  const HazardForm& hazards, std::span<const RegisterUse> uses) {
  if (!hazards.matrix && !hazards.wide_store) return;
  HazardState& state = checks_of(wave).hazards;
  // Sparse ones have the indices there; C is their result, which they overwrite.
  if (name_of(instruction).starts_with("v_smfmac")) return;
  const std::uint16_t data = hazards.matrix           ? instruction.src[2]
                             : is_buffer(instruction) ? instruction.dst
                                                      : instruction.src[1];
  for (const RegisterUse& use : uses) {
    if (use.written || use.first != data || !is_vector_operand(use.first)) continue;
    for_registers(wave, use, [&](unsigned reg) {
      HazardState::Register& entry = state.registers[reg];
      entry.reader = &instruction;
      entry.reader_form = &hazards;
      entry.read = state.now;
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

// VGPR indexing of GFX9: while MODE.GPR_IDX_EN is set, M0 is added to the register numbers of
// vector instructions (M0[7:0] the index, M0[15:12] whether src0, src1, src2 and the destination
// use it).
#include "emulator/isa/register_indexing.h"

#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"
#include "emulator/isa/scalar_operands.h"

namespace geak::emulator {
namespace {

using u32 = std::uint32_t;

constexpr auto kClass = InstructionClass::salu;

void set_index(Wave& w, u32 index) { w.sgpr[kM0] = (w.sgpr[kM0] & ~0xffu) | (index & 0xff); }
void set_users(Wave& w, u32 users) { w.sgpr[kM0] = (w.sgpr[kM0] & ~0xf000u) | (users & 15) << 12; }

const Instruction* change_mode(Wave& w, const Instruction* i, u32 mode) {
  if (mode == w.mode) return i + 1;
  w.mode = mode;
  w.mode_changed = true;
  return stop(w, WaveState::running, i + 1);
}

const Instruction* indexing_on(Wave& w, const Instruction* i) {
  set_index(w, scalar_u32(w, *i, i->src[0]));
  set_users(w, i->src[1]);  // the field itself, not an operand
  return change_mode(w, i, w.mode | kModeIndexing);
}

const Instruction* indexing_off(Wave& w, const Instruction* i) {
  return change_mode(w, i, w.mode & ~kModeIndexing);
}

const Instruction* set_indexing_index(Wave& w, const Instruction* i) {
  set_index(w, scalar_u32(w, *i, i->src[0]));
  return i + 1;
}

const Instruction* set_indexing_users(Wave& w, const Instruction* i) {
  set_users(w, static_cast<u32>(i->imm));
  return i + 1;
}

bool is_vector_alu(const Instruction& i) {
  return i.format >= Format::vop1 && i.format <= Format::vop3p;
}

// False if the register lies beyond the file.
bool shift_operand(std::uint16_t& code, u32 index) {
  if (code < kVector0 || code >= kAccumulator0) return true;
  code = static_cast<std::uint16_t>(code + index);
  return code < kAccumulator0;
}

}  // namespace

const Instruction* execute_indexed(Wave& w, const Instruction* i) {
  if (!is_vector_alu(*i)) return i->handler(w, i);
  const u32 index = w.sgpr[kM0] & 0xff, users = w.sgpr[kM0] >> 12 & 15;
  Instruction shifted = *i;
  bool inside = true;
  for (unsigned n = 0; n < 3; ++n)
    if (users >> n & 1) inside &= shift_operand(shifted.src[n], index);
  if (users & 8) inside &= shift_operand(shifted.dst, index);
  if (!inside)
    return fault(w, i, FaultKind::unknown_instruction,
                 "M0 points outside the vector registers: " + describe(w, *i));
  // A vector instruction goes on to the next one, or stops the wave.
  if (shifted.handler(w, &shifted) != nullptr) return i + 1;
  w.pc = i;
  return nullptr;
}

void register_register_indexing(OperationTable& t) {
  t.add("s_set_gpr_idx_on", kClass, indexing_on);
  t.add("s_set_gpr_idx_off", kClass, indexing_off);
  t.add("s_set_gpr_idx_idx", kClass, set_indexing_index);
  t.add("s_set_gpr_idx_mode", kClass, set_indexing_users);
}

}  // namespace geak::emulator

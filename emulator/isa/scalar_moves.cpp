// Scalar moves, selects, EXEC with saving, indexed registers, hardware registers.
#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"
#include "emulator/isa/program.h"
#include "emulator/isa/scalar_operands.h"

namespace geak::emulator {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr auto kClass = InstructionClass::salu;

template <class T>
T read_destination(const Wave& w, const Instruction* i) {
  if constexpr (sizeof(T) == 8)
    return w.scalar64(i->dst);
  else
    return w.sgpr[i->dst];
}

template <class T>
const Instruction* move(Wave& w, const Instruction* i) {
  set_scalar(w, i->dst, scalar_source<T>(w, *i, 0));
  return i + 1;
}

template <class T>
const Instruction* move_if_scc(Wave& w, const Instruction* i) {
  if (w.scc) set_scalar(w, i->dst, scalar_source<T>(w, *i, 0));
  return i + 1;
}

template <class T>
const Instruction* select_by_scc(Wave& w, const Instruction* i) {
  set_scalar(w, i->dst, scalar_source<T>(w, *i, w.scc ? 0 : 1));
  return i + 1;
}

const Instruction* move_constant(Wave& w, const Instruction* i) {
  w.sgpr[i->dst] = static_cast<u32>(i->imm);
  return i + 1;
}

const Instruction* move_constant_if_scc(Wave& w, const Instruction* i) {
  if (w.scc) w.sgpr[i->dst] = static_cast<u32>(i->imm);
  return i + 1;
}

// dst = EXEC; EXEC = f(src0, EXEC).
template <auto f>
const Instruction* save_exec(Wave& w, const Instruction* i) {
  const u64 source = scalar_u64(w, *i, i->src[0]), saved = w.exec();
  const u64 result = f(source, saved);
  w.set_scalar64(i->dst, saved);
  w.set_scalar64(kExec, result);
  w.scc = result != 0;
  return i + 1;
}

// EXEC and dst = f(src0, EXEC).
template <auto f>
const Instruction* write_exec(Wave& w, const Instruction* i) {
  const u64 result = f(scalar_u64(w, *i, i->src[0]), w.exec());
  w.set_scalar64(i->dst, result);
  w.set_scalar64(kExec, result);
  w.scc = result != 0;
  return i + 1;
}

// s_movrel: the register number is offset by M0. Registers beyond the file fault.
template <class T, bool source>
const Instruction* move_relative(Wave& w, const Instruction* i) {
  const u32 base = source ? i->src[0] : i->dst;
  const u64 number = u64{base} + w.sgpr[kM0];
  if (base >= 128 || number + sizeof(T) / 4 > 128)
    return fault(w, i, FaultKind::unknown_instruction,
                 "M0 points outside the scalar registers: " + describe(w, *i));
  const auto moved = static_cast<unsigned>(number);
  if constexpr (source) {
    set_scalar(w, i->dst,
               sizeof(T) == 8 ? static_cast<T>(w.scalar64(moved)) : static_cast<T>(w.sgpr[moved]));
  } else {
    set_scalar(w, moved, scalar_source<T>(w, *i, 0));
  }
  return i + 1;
}

// Numbers of the hardware registers that s_getreg and s_setreg name.
enum HardwareRegister : u32 {
  kRegMode = 1,
  kRegStatus = 2,
  kRegTrapStatus = 3,
  kRegHwId = 4,
  kRegGprAlloc = 5,
  kRegLdsAlloc = 6,
  kRegIbStatus = 7,
  kRegShMemBases = 15,
  kRegXccId = 20,
};

u32 status_register(const Wave& w) {
  return w.scc | (w.exec() == 0) << 9 | (w.vcc() == 0) << 10 | 1u << 16;  // 16: VALID
}

u32 read_hardware_register(const Wave& w, u32 number) {
  switch (number) {
    case kRegMode:
      return w.mode;
    case kRegStatus:
      return status_register(w);
    case kRegHwId:
      return w.hw_id;
    case kRegLdsAlloc:
      return (w.lds_bytes + 511) / 512 << 12;  // size in 128 dwords
    case kRegShMemBases:
      return kSharedApertureHigh >> 16 << 16 | kPrivateApertureHigh >> 16;
    case kRegXccId:
      return w.xcc_id;
    default:
      return 0;
  }
}

struct RegisterField {
  u32 number, offset, mask;
  explicit RegisterField(std::int32_t imm)
      : number(static_cast<u32>(imm) & 0x3f),
        offset(static_cast<u32>(imm) >> 6 & 0x1f),
        mask(static_cast<u32>((u64{1} << ((static_cast<u32>(imm) >> 11 & 0x1f) + 1)) - 1)) {}
};

const Instruction* get_register(Wave& w, const Instruction* i) {
  const RegisterField field(i->imm);
  w.sgpr[i->dst] = read_hardware_register(w, field.number) >> field.offset & field.mask;
  return i + 1;
}

// Only MODE is writable by a kernel; writes to others have no effect.
const Instruction* set_register(Wave& w, const Instruction* i, u32 value) {
  const RegisterField field(i->imm);
  if (field.number != kRegMode) return i + 1;
  const u32 mask = field.mask << field.offset;
  const u32 mode = (w.mode & ~mask) | (value << field.offset & mask);
  if (mode == w.mode) return i + 1;
  w.mode = mode;
  w.mode_changed = true;
  return stop(w, WaveState::running, i + 1);
}

const Instruction* set_register_scalar(Wave& w, const Instruction* i) {
  return set_register(w, i, w.sgpr[i->dst]);
}

const Instruction* set_register_constant(Wave& w, const Instruction* i) {
  return set_register(w, i, i->literal);
}

void register_exec(OperationTable& t) {
  t.add("s_and_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return s & e; }>);
  t.add("s_or_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return s | e; }>);
  t.add("s_xor_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return s ^ e; }>);
  t.add("s_andn2_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return s & ~e; }>);
  t.add("s_orn2_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return s | ~e; }>);
  t.add("s_nand_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return ~(s & e); }>);
  t.add("s_nor_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return ~(s | e); }>);
  t.add("s_xnor_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return ~(s ^ e); }>);
  t.add("s_andn1_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return ~s & e; }>);
  t.add("s_orn1_saveexec_b64", kClass, save_exec<[](u64 s, u64 e) { return ~s | e; }>);
  t.add("s_andn1_wrexec_b64", kClass, write_exec<[](u64 s, u64 e) { return ~s & e; }>);
  t.add("s_andn2_wrexec_b64", kClass, write_exec<[](u64 s, u64 e) { return s & ~e; }>);
}

}  // namespace

void register_scalar_moves(OperationTable& t) {
  t.add("s_mov_b32", kClass, move<u32>);
  t.add("s_mov_b64", kClass, move<u64>);
  t.add("s_cmov_b32", kClass, move_if_scc<u32>);
  t.add("s_cmov_b64", kClass, move_if_scc<u64>);
  t.add("s_cselect_b32", kClass, select_by_scc<u32>);
  t.add("s_cselect_b64", kClass, select_by_scc<u64>);
  t.add("s_movk_i32", kClass, move_constant);
  t.add("s_cmovk_i32", kClass, move_constant_if_scc);
  t.add("s_movrels_b32", kClass, move_relative<u32, true>);
  t.add("s_movrels_b64", kClass, move_relative<u64, true>);
  t.add("s_movreld_b32", kClass, move_relative<u32, false>);
  t.add("s_movreld_b64", kClass, move_relative<u64, false>);
  t.add("s_getreg_b32", kClass, get_register);
  t.add("s_setreg_b32", kClass, set_register_scalar);
  t.add("s_setreg_imm32_b32", kClass, set_register_constant);
  register_exec(t);
}

}  // namespace geak::emulator

// Moves, selects and exchanges between lanes and scalar registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/moves.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/interpreter.h"
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

unsigned first_active_lane(const Wave& w) {
  const u64 exec = w.exec();
  return exec == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(exec));
}

u32 lane_of(const Wave& w, const Instruction* i, unsigned lane) {
  const u16 code = i->src[0];
  return is_vector_operand(code) ? w.row(code)[lane] : scalar_u32(w, *i, code);
}

const Instruction* read_first_lane(Wave& w, const Instruction* i) {
  w.sgpr[i->dst] = lane_of(w, i, first_active_lane(w));
  return i + 1;
}

const Instruction* read_lane(Wave& w, const Instruction* i) {
  w.sgpr[i->dst] = lane_of(w, i, scalar_u32(w, *i, i->src[1]) & 63);
  return i + 1;
}

// Written whatever EXEC is.
const Instruction* write_lane(Wave& w, const Instruction* i) {
  w.row(i->dst)[scalar_u32(w, *i, i->src[1]) & 63] = scalar_u32(w, *i, i->src[0]);
  return i + 1;
}

// The encoding has room for vector registers where the hardware takes scalar ones alone.
Handler select_read_lane(const Instruction& i) {
  return is_vector_operand(i.src[1]) ? execute_undecodable : read_lane;
}
Handler select_write_lane(const Instruction& i) {
  return is_vector_operand(i.src[0]) || is_vector_operand(i.src[1]) ? execute_undecodable
                                                                    : write_lane;
}

const Instruction* swap(Wave& w, const Instruction* i) {
  Rows<1> old;
  u32 *a = w.row(i->dst), *b = w.row(i->src[0]);
  __builtin_memcpy(old.lane, a, sizeof(Lanes));
  const u64 exec = w.exec();
  Rows<1> other;
  __builtin_memcpy(other.lane, b, sizeof(Lanes));
  blend(a, other.lane, exec);
  blend(b, old.lane, exec);
  return i + 1;
}

// Bits of src0 below this lane's position, added to src1. Lanes 32 up see all of the low half.
template <bool high_half>
const Instruction* masked_bit_count(Wave& w, const Instruction* i) {
  const Source<u32> mask(w, i, 0), base(w, i, 1);
  Destination<u32> out(w, i);
  for (unsigned l = 0; l < kLanes; ++l) {
    const u64 below = (u64{1} << l) - 1;
    const u32 part = static_cast<u32>(high_half ? below >> 32 : below);
    out.set(l, base[l] + static_cast<u32>(__builtin_popcount(mask[l] & part)));
  }
  out.finish_to(w, i);
  return i + 1;
}

const Instruction* no_operation(Wave&, const Instruction* i) { return i + 1; }

}  // namespace

void register_moves(OperationTable& t) {
  t.add("v_nop", kClass, no_operation);
  t.add("v_clrexcp", kClass, no_operation);  // no exceptions are recorded
  t.add("v_mov_b32", kClass, lanes<[](u32 a) { return a; }>);
  t.add("v_mov_b64", kClass, lanes<[](u64 a) { return a; }>);
  t.add("v_accvgpr_mov_b32", kClass, lanes<[](u32 a) { return a; }>);
  t.add("v_accvgpr_read_b32", kClass, lanes<[](u32 a) { return a; }>);
  t.add("v_accvgpr_write_b32", kClass, lanes<[](u32 a) { return a; }>);
  t.add("v_cndmask_b32", kClass, lanes<[](u32 a, u32 b, bool c) { return c ? b : a; }>);
  t.add("v_readfirstlane_b32", kClass, read_first_lane);
  t.add("v_readlane_b32", kClass, read_lane).select = select_read_lane;
  t.add("v_writelane_b32", kClass, write_lane).select = select_write_lane;
  t.add("v_swap_b32", kClass, swap);
  t.add("v_mbcnt_lo_u32_b32", kClass, masked_bit_count<false>);
  t.add("v_mbcnt_hi_u32_b32", kClass, masked_bit_count<true>);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_moves);
void register_vector_moves(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_moves)(t); }
}  // namespace geak::emulator
#endif

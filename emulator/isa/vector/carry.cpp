// Integer operations with a carry in or out: a lane mask.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/carry.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

using Sum = Carry<u32>;

// In 32 bits: twice the lanes fit a vector of the host.
Sum add(u32 a, u32 b, u32 carry) {
  const u32 value = a + b + carry;
  return {value, ((value < a) | ((value == a) & (carry != 0))) != 0};
}
Sum subtract(u32 a, u32 b, u32 borrow) {
  return {a - b - borrow, ((a < b) | ((a == b) & (borrow != 0))) != 0};
}
// The clamped results, for v_add_co_u32 ... clamp.
Sum saturate_add(Sum s) { return {s.carry ? ~0u : s.value, s.carry}; }
Sum saturate_subtract(Sum s) { return {s.carry ? 0u : s.value, s.carry}; }

Carry<u64> multiply_add(u64 product, u64 c) { return {product + c, product + c < c}; }

// The product is at most 2^62 in magnitude; D1 is the carry of the 64-bit addition of bit patterns
// extended with the signs.
Carry<u64> multiply_add_signed(i64 product, i64 c) {
  const __int128 wide = static_cast<__int128>(product) + c;
  return {static_cast<u64>(wide), ((static_cast<unsigned __int128>(wide) >> 64) & 1) != 0};
}

}  // namespace

void register_carry(OperationTable& t) {
  t.add("v_add_co_u32", kClass,
        lanes_saturating<[](u32 a, u32 b) { return add(a, b, 0); },
                         [](u32 a, u32 b) { return saturate_add(add(a, b, 0)); }>);
  t.add("v_sub_co_u32", kClass,
        lanes_saturating<[](u32 a, u32 b) { return subtract(a, b, 0); },
                         [](u32 a, u32 b) { return saturate_subtract(subtract(a, b, 0)); }>);
  t.add("v_subrev_co_u32", kClass,
        lanes_saturating<[](u32 a, u32 b) { return subtract(b, a, 0); },
                         [](u32 a, u32 b) { return saturate_subtract(subtract(b, a, 0)); }>);
  t.add("v_addc_co_u32", kClass,
        lanes_saturating<[](u32 a, u32 b, bool c) { return add(a, b, c); },
                         [](u32 a, u32 b, bool c) { return saturate_add(add(a, b, c)); }>);
  t.add(
      "v_subb_co_u32", kClass,
      lanes_saturating<[](u32 a, u32 b, bool c) { return subtract(a, b, c); },
                       [](u32 a, u32 b, bool c) { return saturate_subtract(subtract(a, b, c)); }>);
  t.add(
      "v_subbrev_co_u32", kClass,
      lanes_saturating<[](u32 a, u32 b, bool c) { return subtract(b, a, c); },
                       [](u32 a, u32 b, bool c) { return saturate_subtract(subtract(b, a, c)); }>);
  t.add("v_mad_u64_u32", kClass,
        lanes<[](u32 a, u32 b, u64 c) { return multiply_add(u64{a} * b, c); }>);
  t.add("v_mad_i64_i32", kClass,
        lanes<[](i32 a, i32 b, i64 c) { return multiply_add_signed(i64{a} * b, c); }>);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_carry);
void register_vector_carry(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_carry)(t); }
}  // namespace geak::emulator
#endif

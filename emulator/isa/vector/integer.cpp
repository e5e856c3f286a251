// 32-bit and 64-bit integer arithmetic without carry, logic and shifts.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/integer.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/integer_math-inl.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

void register_add(OperationTable& t) {
  constexpr auto add = [](u32 a, u32 b) { return a + b; };
  constexpr auto sub = [](u32 a, u32 b) { return a - b; };
  t.add("v_add_u32", kClass,
        lanes_saturating<add, [](u32 a, u32 b) { return a + b < a ? ~0u : a + b; }>);
  t.add("v_sub_u32", kClass,
        lanes_saturating<sub, [](u32 a, u32 b) { return a < b ? 0u : a - b; }>);
  t.add("v_subrev_u32", kClass,
        lanes_saturating<[](u32 a, u32 b) { return b - a; },
                         [](u32 a, u32 b) { return b < a ? 0u : b - a; }>);
  t.add("v_add_i32", kClass, lanes_saturating<add, [](u32 a, u32 b) {
          return static_cast<u32>(saturate32(i64{static_cast<i32>(a)} + static_cast<i32>(b)));
        }>);
  t.add("v_sub_i32", kClass, lanes_saturating<sub, [](u32 a, u32 b) {
          return static_cast<u32>(saturate32(i64{static_cast<i32>(a)} - static_cast<i32>(b)));
        }>);
  t.add("v_add3_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return a + b + c; }>);
  t.add("v_add_lshl_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>);
  t.add("v_lshl_add_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>);
  t.add("v_lshl_add_u64", kClass, lanes<[](u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; }>);
  t.add("v_xad_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>);
}

void register_multiply(OperationTable& t) {
  t.add("v_mul_lo_u32", kClass, lanes<[](u32 a, u32 b) { return a * b; }>);
  t.add("v_mul_hi_u32", kClass,
        lanes<[](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }>);
  t.add("v_mul_hi_i32", kClass,
        lanes<[](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }>);
  t.add("v_mul_u32_u24", kClass, lanes<[](u32 a, u32 b) { return low24(a) * low24(b); }>);
  t.add("v_mul_hi_u32_u24", kClass,
        lanes<[](u32 a, u32 b) { return static_cast<u32>(u64{low24(a)} * low24(b) >> 32); }>);
  t.add("v_mul_i32_i24", kClass, lanes<[](u32 a, u32 b) {
          return static_cast<u32>(signed24(a)) * static_cast<u32>(signed24(b));
        }>);
  t.add("v_mul_hi_i32_i24", kClass,
        lanes<[](u32 a, u32 b) { return static_cast<i32>(i64{signed24(a)} * signed24(b) >> 32); }>);
  t.add("v_mad_u32_u24", kClass,
        lanes_saturating<[](u32 a, u32 b, u32 c) { return low24(a) * low24(b) + c; },
                         [](u32 a, u32 b, u32 c) {
                           return saturate_u32(u64{low24(a)} * low24(b) + c);
                         }>);
  t.add("v_mad_i32_i24", kClass,
        lanes_saturating<[](u32 a, u32 b, u32 c) {
          return static_cast<u32>(signed24(a)) * static_cast<u32>(signed24(b)) + c;
        },
                         [](u32 a, u32 b, u32 c) {
                           return static_cast<u32>(
                               saturate32(i64{signed24(a)} * signed24(b) + static_cast<i32>(c)));
                         }>);
  t.add("v_mad_u32_u16", kClass,
        lanes_saturating<[](u16 a, u16 b, u32 c) { return u32{a} * b + c; },
                         [](u16 a, u16 b, u32 c) { return saturate_u32(u64{a} * b + c); }>);
  t.add("v_mad_i32_i16", kClass,
        lanes_saturating<[](i16 a, i16 b, u32 c) { return static_cast<u32>(i32{a} * b) + c; },
                         [](i16 a, i16 b, u32 c) {
                           return static_cast<u32>(saturate32(i64{a} * b + static_cast<i32>(c)));
                         }>);
}

void register_min_max(OperationTable& t) {
  t.add("v_min_i32", kClass, lanes<[](i32 a, i32 b) { return a < b ? a : b; }>);
  t.add("v_max_i32", kClass, lanes<[](i32 a, i32 b) { return a > b ? a : b; }>);
  t.add("v_min_u32", kClass, lanes<[](u32 a, u32 b) { return a < b ? a : b; }>);
  t.add("v_max_u32", kClass, lanes<[](u32 a, u32 b) { return a > b ? a : b; }>);
  t.add("v_min3_i32", kClass, lanes<[](i32 a, i32 b, i32 c) { return lesser(lesser(a, b), c); }>);
  t.add("v_max3_i32", kClass, lanes<[](i32 a, i32 b, i32 c) { return greater(greater(a, b), c); }>);
  t.add("v_med3_i32", kClass, lanes<[](i32 a, i32 b, i32 c) { return median(a, b, c); }>);
  t.add("v_min3_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return lesser(lesser(a, b), c); }>);
  t.add("v_max3_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return greater(greater(a, b), c); }>);
  t.add("v_med3_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return median(a, b, c); }>);
}

void register_logic(OperationTable& t) {
  t.add("v_and_b32", kClass, lanes<[](u32 a, u32 b) { return a & b; }>);
  t.add("v_or_b32", kClass, lanes<[](u32 a, u32 b) { return a | b; }>);
  t.add("v_xor_b32", kClass, lanes<[](u32 a, u32 b) { return a ^ b; }>);
  t.add("v_xnor_b32", kClass, lanes<[](u32 a, u32 b) { return ~(a ^ b); }>);
  t.add("v_not_b32", kClass, lanes<[](u32 a) { return ~a; }>);
  t.add("v_or3_b32", kClass, lanes<[](u32 a, u32 b, u32 c) { return a | b | c; }>);
  t.add("v_and_or_b32", kClass, lanes<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>);
  t.add("v_lshl_or_b32", kClass, lanes<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }>);
}

void register_shifts(OperationTable& t) {
  t.add("v_lshlrev_b32", kClass, lanes<[](u32 a, u32 b) { return b << (a & 31); }>);
  t.add("v_lshrrev_b32", kClass, lanes<[](u32 a, u32 b) { return b >> (a & 31); }>);
  t.add("v_ashrrev_i32", kClass, lanes<[](u32 a, i32 b) { return b >> (a & 31); }>);
  t.add("v_lshlrev_b64", kClass, lanes<[](u32 a, u64 b) { return b << (a & 63); }>);
  t.add("v_lshrrev_b64", kClass, lanes<[](u32 a, u64 b) { return b >> (a & 63); }>);
  t.add("v_ashrrev_i64", kClass, lanes<[](u32 a, i64 b) { return b >> (a & 63); }>);
}

}  // namespace

void register_integer(OperationTable& t) {
  register_add(t);
  register_multiply(t);
  register_min_max(t);
  register_logic(t);
  register_shifts(t);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_integer);
void register_vector_integer(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_integer)(t); }
}  // namespace geak::emulator
#endif

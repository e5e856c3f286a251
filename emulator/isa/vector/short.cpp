// 16-bit integer operations.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/short.cpp"
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

i32 clamp16(i32 x) { return x > 32767 ? 32767 : x < -32768 ? -32768 : x; }
u64 capped32(u64 x) { return x > 0xffff ? 0xffff : x; }
u16 capped(u32 x) { return static_cast<u16>(x > 0xffff ? 0xffff : x); }

void register_arithmetic(OperationTable& t) {
  t.add("v_add_u16", kClass,
        lanes_saturating<[](u16 a, u16 b) { return static_cast<u16>(a + b); },
                         [](u16 a, u16 b) { return capped(u32{a} + b); }>);
  t.add("v_sub_u16", kClass,
        lanes_saturating<[](u16 a, u16 b) { return static_cast<u16>(a - b); },
                         [](u16 a, u16 b) { return static_cast<u16>(a < b ? 0 : a - b); }>);
  t.add("v_subrev_u16", kClass,
        lanes_saturating<[](u16 a, u16 b) { return static_cast<u16>(b - a); },
                         [](u16 a, u16 b) { return static_cast<u16>(b < a ? 0 : b - a); }>);
  t.add("v_mul_lo_u16", kClass, lanes<[](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); }>);
  t.add("v_mad_legacy_u16", kClass,
        lanes_saturating<[](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); },
                         [](u16 a, u16 b, u16 c) {
                           return static_cast<u16>(capped32(u64{a} * b + c));
                         }>);
  t.add("v_mad_legacy_i16", kClass,
        lanes_saturating<[](i16 a, i16 b, i16 c) { return static_cast<i16>(i32{a} * b + c); },
                         [](i16 a, i16 b, i16 c) {
                           return static_cast<i16>(clamp16(i32{a} * b + c));
                         }>);
}

// VOP3 with op_sel: the register's other half stays.
void register_half_preserving(OperationTable& t) {
  t.add("v_add_i16", kClass,
        saturating_keep_half<[](i16 a, i16 b) { return static_cast<i16>(a + b); },
                             [](i16 a, i16 b) { return static_cast<i16>(clamp16(i32{a} + b)); }>);
  t.add("v_sub_i16", kClass,
        saturating_keep_half<[](i16 a, i16 b) { return static_cast<i16>(a - b); },
                             [](i16 a, i16 b) { return static_cast<i16>(clamp16(i32{a} - b)); }>);
  t.add("v_mad_u16", kClass,
        saturating_keep_half<[](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); },
                             [](u16 a, u16 b, u16 c) {
                               return static_cast<u16>(capped32(u64{a} * b + c));
                             }>);
  t.add("v_mad_i16", kClass,
        saturating_keep_half<[](i16 a, i16 b, i16 c) { return static_cast<i16>(i32{a} * b + c); },
                             [](i16 a, i16 b, i16 c) {
                               return static_cast<i16>(clamp16(i32{a} * b + c));
                             }>);
  t.add("v_min3_i16", kClass,
        lanes_keep_half<[](i16 a, i16 b, i16 c) { return lesser(lesser(a, b), c); }>);
  t.add("v_max3_i16", kClass,
        lanes_keep_half<[](i16 a, i16 b, i16 c) { return greater(greater(a, b), c); }>);
  t.add("v_med3_i16", kClass, lanes_keep_half<[](i16 a, i16 b, i16 c) { return median(a, b, c); }>);
  t.add("v_min3_u16", kClass,
        lanes_keep_half<[](u16 a, u16 b, u16 c) { return lesser(lesser(a, b), c); }>);
  t.add("v_max3_u16", kClass,
        lanes_keep_half<[](u16 a, u16 b, u16 c) { return greater(greater(a, b), c); }>);
  t.add("v_med3_u16", kClass, lanes_keep_half<[](u16 a, u16 b, u16 c) { return median(a, b, c); }>);
}

}  // namespace

void register_short(OperationTable& t) {
  register_arithmetic(t);
  register_half_preserving(t);
  t.add("v_lshlrev_b16", kClass,
        lanes<[](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); }>);
  t.add("v_lshrrev_b16", kClass,
        lanes<[](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }>);
  t.add("v_ashrrev_i16", kClass,
        lanes<[](u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }>);
  t.add("v_min_u16", kClass, lanes<[](u16 a, u16 b) { return lesser(a, b); }>);
  t.add("v_max_u16", kClass, lanes<[](u16 a, u16 b) { return greater(a, b); }>);
  t.add("v_min_i16", kClass, lanes<[](i16 a, i16 b) { return lesser(a, b); }>);
  t.add("v_max_i16", kClass, lanes<[](i16 a, i16 b) { return greater(a, b); }>);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_short);
void register_vector_short(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_short)(t); }
}  // namespace geak::emulator
#endif

// Bit fields, bit counts, alignment of dword pairs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/bits.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

u32 extract_unsigned(u32 a, u32 offset, u32 width) {
  return (a >> (offset & 31)) & ((1u << (width & 31)) - 1);
}
i32 extract_signed(i32 a, u32 offset, u32 width) {
  const u32 size = width & 31;
  if (size == 0) return 0;
  const u32 shifted = static_cast<u32>(a >> (offset & 31));
  return static_cast<i32>(shifted << (32 - size)) >> (32 - size);
}
// Count of leading bits, by smearing: vectorizes where the host has no such instruction.
u32 leading_zeros(u32 x) { return x == 0 ? ~0u : static_cast<u32>(__builtin_clz(x)); }

}  // namespace

void register_bits(OperationTable& t) {
  t.add("v_bfe_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return extract_unsigned(a, b, c); }>);
  t.add("v_bfe_i32", kClass, lanes<[](i32 a, u32 b, u32 c) { return extract_signed(a, b, c); }>);
  t.add("v_bfi_b32", kClass, lanes<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>);
  t.add("v_bfm_b32", kClass,
        lanes<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>);
  t.add("v_bfrev_b32", kClass, lanes<[](u32 a) { return __builtin_bitreverse32(a); }>);
  t.add("v_bcnt_u32_b32", kClass,
        lanes<[](u32 a, u32 b) { return static_cast<u32>(__builtin_popcount(a)) + b; }>);
  t.add("v_ffbh_u32", kClass, lanes<[](u32 a) { return leading_zeros(a); }>);
  t.add("v_ffbl_b32", kClass,
        lanes<[](u32 a) { return a == 0 ? ~0u : static_cast<u32>(__builtin_ctz(a)); }>);
  // The first bit that differs from the sign.
  t.add("v_ffbh_i32", kClass,
        lanes<[](i32 a) { return leading_zeros(static_cast<u32>(a < 0 ? ~a : a)); }>);
  t.add(
      "v_alignbit_b32", kClass,
      lanes<[](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (c & 31)); }>);
  t.add("v_alignbyte_b32", kClass, lanes<[](u32 a, u32 b, u32 c) {
          return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3)));
        }>);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_bits);
void register_vector_bits(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_bits)(t); }
}  // namespace geak::emulator
#endif

// Scalar arithmetic, logic, shifts, bit fields and comparisons.
#include <algorithm>
#include <bit>
#include <functional>

#include "emulator/isa/operation.h"
#include "emulator/isa/scalar_operands.h"

namespace geak::emulator {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

constexpr auto kClass = InstructionClass::salu;

void register_arithmetic(OperationTable& t) {
  t.add("s_add_u32", kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          const u32 r = a + b;
          scc = r < a;
          return r;
        }>);
  t.add("s_sub_u32", kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          scc = b > a;
          return a - b;
        }>);
  t.add("s_add_i32", kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          const u32 r = a + b;
          scc = (~(a ^ b) & (a ^ r)) >> 31;
          return r;
        }>);
  t.add("s_sub_i32", kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          const u32 r = a - b;
          scc = ((a ^ b) & (a ^ r)) >> 31;
          return r;
        }>);
  t.add("s_addc_u32", kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          const u64 r = u64{a} + b + scc;
          scc = static_cast<u32>(r >> 32);
          return static_cast<u32>(r);
        }>);
  t.add("s_subb_u32", kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          const u32 r = a - b - scc;
          scc = u64{b} + scc > a;
          return r;
        }>);
  t.add("s_min_i32", kClass, scalar_binary_scc<i32, [](i32 a, i32 b, u32& scc) {
          scc = a < b;
          return std::min(a, b);
        }>);
  t.add("s_min_u32", kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          scc = a < b;
          return std::min(a, b);
        }>);
  t.add("s_max_i32", kClass, scalar_binary_scc<i32, [](i32 a, i32 b, u32& scc) {
          scc = a > b;
          return std::max(a, b);
        }>);
  t.add("s_max_u32", kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          scc = a > b;
          return std::max(a, b);
        }>);
  t.add("s_mul_i32", kClass, scalar_binary<u32, Scc::keep, [](u32 a, u32 b) { return a * b; }>);
  t.add("s_mul_hi_u32", kClass, scalar_binary<u32, Scc::keep, [](u32 a, u32 b) {
          return static_cast<u32>(u64{a} * b >> 32);
        }>);
  t.add("s_mul_hi_i32", kClass, scalar_binary<i32, Scc::keep, [](i32 a, i32 b) {
          return static_cast<i32>(i64{a} * b >> 32);
        }>);
  t.add("s_absdiff_i32", kClass, scalar_binary<u32, Scc::nonzero, [](u32 a, u32 b) {
          const u32 d = a - b;
          return static_cast<i32>(a) > static_cast<i32>(b) ? d : ~d + 1;
        }>);
  t.add("s_abs_i32", kClass,
        scalar_unary<u32, Scc::nonzero, [](u32 a) { return a >> 31 ? ~a + 1 : a; }>);
}

template <u32 shift>
void register_shift_add(OperationTable& t, const char* name) {
  t.add(name, kClass, scalar_binary_scc<u32, [](u32 a, u32 b, u32& scc) {
          const u64 r = (u64{a} << shift) + b;
          scc = r >> 32 != 0;
          return static_cast<u32>(r);
        }>);
}

// The constant form adds to or multiplies the destination.
const Instruction* add_constant(Wave& w, const Instruction* i) {
  const u32 a = w.sgpr[i->dst], b = static_cast<u32>(i->imm), r = a + b;
  w.scc = (~(a ^ b) & (a ^ r)) >> 31;
  w.sgpr[i->dst] = r;
  return i + 1;
}

const Instruction* multiply_constant(Wave& w, const Instruction* i) {
  w.sgpr[i->dst] *= static_cast<u32>(i->imm);
  return i + 1;
}

template <class T>
void register_logic(OperationTable& t, const std::string& width) {
  t.add("s_and_b" + width, kClass, scalar_binary<T, Scc::nonzero, [](T a, T b) { return a & b; }>);
  t.add("s_or_b" + width, kClass, scalar_binary<T, Scc::nonzero, [](T a, T b) { return a | b; }>);
  t.add("s_xor_b" + width, kClass, scalar_binary<T, Scc::nonzero, [](T a, T b) { return a ^ b; }>);
  t.add("s_andn2_b" + width, kClass,
        scalar_binary<T, Scc::nonzero, [](T a, T b) { return a & ~b; }>);
  t.add("s_orn2_b" + width, kClass,
        scalar_binary<T, Scc::nonzero, [](T a, T b) { return a | ~b; }>);
  t.add("s_nand_b" + width, kClass,
        scalar_binary<T, Scc::nonzero, [](T a, T b) { return ~(a & b); }>);
  t.add("s_nor_b" + width, kClass,
        scalar_binary<T, Scc::nonzero, [](T a, T b) { return ~(a | b); }>);
  t.add("s_xnor_b" + width, kClass,
        scalar_binary<T, Scc::nonzero, [](T a, T b) { return ~(a ^ b); }>);
  t.add("s_not_b" + width, kClass, scalar_unary<T, Scc::nonzero, [](T a) { return ~a; }>);
}

// Shift counts are the low bits of the second source's first dword.
template <class T, class Signed>
void register_shifts(OperationTable& t, const std::string& width) {
  constexpr T kMask = sizeof(T) * 8 - 1;
  t.add("s_lshl_b" + width, kClass,
        scalar_binary<T, Scc::nonzero, [](T a, T b) { return a << (b & kMask); }>);
  t.add("s_lshr_b" + width, kClass,
        scalar_binary<T, Scc::nonzero, [](T a, T b) { return a >> (b & kMask); }>);
  t.add("s_ashr_i" + width, kClass, scalar_binary<T, Scc::nonzero, [](T a, T b) {
          return static_cast<T>(static_cast<Signed>(a) >> (b & kMask));
        }>);
}

// Mask of (a & m) bits starting at (b & m).
template <class T>
const Instruction* bit_field_mask(Wave& w, const Instruction* i) {
  constexpr u32 kMask = sizeof(T) * 8 - 1;
  const u32 width = scalar_u32(w, *i, i->src[0]) & kMask;
  const u32 offset = scalar_u32(w, *i, i->src[1]) & kMask;
  set_scalar(w, i->dst, static_cast<T>(((T{1} << width) - 1) << offset));
  return i + 1;
}

// Offset in the low bits of src1, width in bits 22:16.
template <class T>
const Instruction* bit_field_extract(Wave& w, const Instruction* i) {
  constexpr u32 kBits = sizeof(T) * 8;
  const u32 field = scalar_u32(w, *i, i->src[1]);
  const u32 offset = field & (kBits - 1), width = std::min(field >> 16 & 0x7f, kBits);
  using U = std::make_unsigned_t<T>;
  const U value = static_cast<U>(scalar_source<T>(w, *i, 0));
  U result = 0;
  if (width != 0) {
    // Beyond the top bit the value continues with its sign (or zeros).
    const T shifted = static_cast<T>(value) >> offset;
    const u32 up = kBits - width;
    result = static_cast<U>(static_cast<T>(static_cast<U>(shifted) << up) >> up);
  }
  set_scalar(w, i->dst, result);
  w.scc = result != 0;
  return i + 1;
}

template <class T, class Find>
i32 find_or_minus_one(T value, Find find) {
  return value == 0 ? -1 : find(value);
}

// Position from the top of the first bit that differs from the sign, -1 if none.
template <class T>
i32 first_unlike_sign(T value) {
  const T folded = static_cast<std::make_signed_t<T>>(value) < 0 ? static_cast<T>(~value) : value;
  return find_or_minus_one(folded, [](T v) { return std::countl_zero(v); });
}

template <class T>
T reverse_bits(T value) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bitreverse64(value);
  else
    return __builtin_bitreverse32(value);
}

// Each group of four bits: all ones if any is set.
template <class T>
T whole_quads(T value) {
  constexpr T kOnes = static_cast<T>(0x1111111111111111u);
  const T any = (value | value >> 1 | value >> 2 | value >> 3) & kOnes;
  return static_cast<T>(any * 0xf);
}

template <class T>
T quad_mask(T value) {
  T result = 0;
  for (unsigned quad = 0; quad < sizeof(T) * 2; ++quad)
    if ((value >> (4 * quad)) & 0xf) result |= T{1} << quad;
  return result;
}

template <class T>
void register_bits(OperationTable& t, const std::string& width) {
  t.add("s_bfm_b" + width, kClass, bit_field_mask<T>);
  t.add("s_bfe_u" + width, kClass, bit_field_extract<T>);
  t.add("s_bfe_i" + width, kClass, bit_field_extract<std::make_signed_t<T>>);
  t.add("s_brev_b" + width, kClass,
        scalar_unary<T, Scc::keep, [](T a) { return reverse_bits(a); }>);
  t.add("s_bcnt0_i32_b" + width, kClass,
        scalar_unary<T, Scc::nonzero, [](T a) { return std::popcount(static_cast<T>(~a)); }>);
  t.add("s_bcnt1_i32_b" + width, kClass,
        scalar_unary<T, Scc::nonzero, [](T a) { return std::popcount(a); }>);
  t.add("s_ff0_i32_b" + width, kClass, scalar_unary<T, Scc::keep, [](T a) {
          return find_or_minus_one(static_cast<T>(~a), [](T v) { return std::countr_zero(v); });
        }>);
  t.add("s_ff1_i32_b" + width, kClass, scalar_unary<T, Scc::keep, [](T a) {
          return find_or_minus_one(a, [](T v) { return std::countr_zero(v); });
        }>);
  t.add("s_flbit_i32_b" + width, kClass, scalar_unary<T, Scc::keep, [](T a) {
          return find_or_minus_one(a, [](T v) { return std::countl_zero(v); });
        }>);
  t.add(width == "32" ? "s_flbit_i32" : "s_flbit_i32_i64", kClass,
        scalar_unary<T, Scc::keep, [](T a) { return first_unlike_sign(a); }>);
  t.add("s_wqm_b" + width, kClass,
        scalar_unary<T, Scc::nonzero, [](T a) { return whole_quads(a); }>);
  t.add("s_quadmask_b" + width, kClass,
        scalar_unary<T, Scc::nonzero, [](T a) { return quad_mask(a); }>);
}

u64 replicate_bits(u32 value) {
  u64 result = 0;
  for (unsigned bit = 0; bit < 32; ++bit)
    if (value >> bit & 1) result |= u64{3} << (2 * bit);
  return result;
}

// s_bitset: bit src0 of the destination.
template <class T, bool one>
const Instruction* set_bit(Wave& w, const Instruction* i) {
  const T bit = T{1} << (scalar_u32(w, *i, i->src[0]) & (sizeof(T) * 8 - 1));
  const T old =
      sizeof(T) == 8 ? static_cast<T>(w.scalar64(i->dst)) : static_cast<T>(w.sgpr[i->dst]);
  set_scalar(w, i->dst, static_cast<T>(one ? old | bit : old & ~bit));
  return i + 1;
}

template <class T, bool one>
const Instruction* test_bit(Wave& w, const Instruction* i) {
  const u32 bit = scalar_u32(w, *i, i->src[1]) & (sizeof(T) * 8 - 1);
  w.scc = ((scalar_source<T>(w, *i, 0) >> bit) & 1) == (one ? 1 : 0);
  return i + 1;
}

template <class T>
void register_comparisons(OperationTable& t, const std::string& type) {
  const std::string c = "s_cmp_", k = "s_cmpk_";
  t.add(c + "eq_" + type, kClass, scalar_compare<T, std::equal_to<T>{}>);
  t.add(c + "lg_" + type, kClass, scalar_compare<T, std::not_equal_to<T>{}>);
  if constexpr (sizeof(T) == 4) {
    t.add(c + "gt_" + type, kClass, scalar_compare<T, std::greater<T>{}>);
    t.add(c + "ge_" + type, kClass, scalar_compare<T, std::greater_equal<T>{}>);
    t.add(c + "lt_" + type, kClass, scalar_compare<T, std::less<T>{}>);
    t.add(c + "le_" + type, kClass, scalar_compare<T, std::less_equal<T>{}>);
    t.add(k + "eq_" + type, kClass, scalar_compare_constant<T, std::equal_to<T>{}>);
    t.add(k + "lg_" + type, kClass, scalar_compare_constant<T, std::not_equal_to<T>{}>);
    t.add(k + "gt_" + type, kClass, scalar_compare_constant<T, std::greater<T>{}>);
    t.add(k + "ge_" + type, kClass, scalar_compare_constant<T, std::greater_equal<T>{}>);
    t.add(k + "lt_" + type, kClass, scalar_compare_constant<T, std::less<T>{}>);
    t.add(k + "le_" + type, kClass, scalar_compare_constant<T, std::less_equal<T>{}>);
  }
}

void register_packs(OperationTable& t) {
  t.add("s_pack_ll_b32_b16", kClass,
        scalar_binary<u32, Scc::keep, [](u32 a, u32 b) { return (a & 0xffff) | b << 16; }>);
  t.add(
      "s_pack_lh_b32_b16", kClass,
      scalar_binary<u32, Scc::keep, [](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }>);
  t.add("s_pack_hh_b32_b16", kClass,
        scalar_binary<u32, Scc::keep, [](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); }>);
  t.add("s_sext_i32_i8", kClass, scalar_unary<u32, Scc::keep, [](u32 a) {
          return static_cast<i32>(static_cast<std::int8_t>(a));
        }>);
  t.add("s_sext_i32_i16", kClass, scalar_unary<u32, Scc::keep, [](u32 a) {
          return static_cast<i32>(static_cast<std::int16_t>(a));
        }>);
}

}  // namespace

void register_scalar_alu(OperationTable& t) {
  register_arithmetic(t);
  register_shift_add<1>(t, "s_lshl1_add_u32");
  register_shift_add<2>(t, "s_lshl2_add_u32");
  register_shift_add<3>(t, "s_lshl3_add_u32");
  register_shift_add<4>(t, "s_lshl4_add_u32");
  t.add("s_addk_i32", kClass, add_constant);
  t.add("s_mulk_i32", kClass, multiply_constant);
  register_logic<u32>(t, "32");
  register_logic<u64>(t, "64");
  register_shifts<u32, i32>(t, "32");
  register_shifts<u64, i64>(t, "64");
  register_bits<u32>(t, "32");
  register_bits<u64>(t, "64");
  t.add("s_bitreplicate_b64_b32", kClass,
        scalar_unary<u32, Scc::keep, [](u32 a) { return replicate_bits(a); }>);
  t.add("s_bitset0_b32", kClass, set_bit<u32, false>);
  t.add("s_bitset1_b32", kClass, set_bit<u32, true>);
  t.add("s_bitset0_b64", kClass, set_bit<u64, false>);
  t.add("s_bitset1_b64", kClass, set_bit<u64, true>);
  t.add("s_bitcmp0_b32", kClass, test_bit<u32, false>);
  t.add("s_bitcmp1_b32", kClass, test_bit<u32, true>);
  t.add("s_bitcmp0_b64", kClass, test_bit<u64, false>);
  t.add("s_bitcmp1_b64", kClass, test_bit<u64, true>);
  register_comparisons<u32>(t, "u32");
  register_comparisons<i32>(t, "i32");
  register_comparisons<u64>(t, "u64");
  register_packs(t);
}

}  // namespace geak::emulator

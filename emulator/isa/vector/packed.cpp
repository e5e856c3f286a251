// Packed math: two halves of a dword, or two dwords of a pair.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/packed.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/float_math-inl.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

// One source of a packed operation: which half (or which dword of a pair) feeds the low and the
// high result, and the negations of each.
template <class T>
struct PackedSource {
  const u32* low;  // dwords; for pairs the second row follows
  Rows<2> storage;
  u32 low_shift, high_shift, low_sign, high_sign;
  const u32 *low_row, *high_row;

  HWY_INLINE PackedSource(const Wave& w, const Instruction* i, unsigned n) {
    constexpr bool kPair = sizeof(T) == 4;
    const u16 code = i->src[n];
    // VOP2 forms have no selectors: low from low, high from high.
    const u32 high_selects = i->format == Format::vop3p ? i->op_sel_hi : 7u;
    const bool low_from_high = i->op_sel >> n & 1, high_from_high = high_selects >> n & 1;
    if (is_vector_operand(code)) {
      low = w.row(code);
    } else {
      low = storage.lane;
      if constexpr (kPair) {
        // An inline constant serves both halves; registers come in pairs.
        broadcast(storage.lane, scalar_u32(w, *i, code));
        broadcast(storage.lane + kLanes, scalar_u32(w, *i, code < 127 ? code + 1u : code));
      } else {
        const bool half = std::is_same_v<T, f16> && is_inline_float(code);
        broadcast(storage.lane, half ? scalar_u16(w, *i, code) : scalar_u32(w, *i, code));
      }
    }
    low_shift = !kPair && low_from_high ? 16 : 0;
    high_shift = !kPair && high_from_high ? 16 : 0;
    low_row = low + (kPair && low_from_high ? kLanes : 0);
    high_row = low + (kPair && high_from_high ? kLanes : 0);
    const u32 sign = kPair ? kSignBit : 0x8000;
    constexpr bool kSigned = std::is_floating_point_v<T> || std::is_same_v<T, f16>;
    low_sign = kSigned && (i->neg >> n & 1) ? sign : 0;
    high_sign = kSigned && (i->abs >> n & 1) ? sign : 0;  // VOP3P keeps neg_hi there
  }
  HWY_INLINE T value(u32 dword) const {
    if constexpr (sizeof(T) == 4)
      return __builtin_bit_cast(T, dword);
    else
      return __builtin_bit_cast(T, static_cast<u16>(dword));
  }
  HWY_INLINE T low_value(unsigned l) const { return value((low_row[l] >> low_shift) ^ low_sign); }
  HWY_INLINE T high_value(unsigned l) const {
    return value((high_row[l] >> high_shift) ^ high_sign);
  }
};

template <class T>
HWY_INLINE T clamp_unit(T x) {
  return x > static_cast<T>(1.0f)   ? static_cast<T>(1.0f)
         : x > static_cast<T>(0.0f) ? x
                                    : static_cast<T>(0.0f);
}

// Stores both results: halves of one dword, or two dwords.
template <class T, class F>
HWY_INLINE void store_packed(Wave& w, const Instruction* i, F f) {
  constexpr bool kFloat = std::is_same_v<T, float> || std::is_same_v<T, f16>;
  const bool clamps = kFloat && i->clamp;
  Rows<2> out;
  GEAK_EACH_LANE(l) {
    T low = f(l, false), high = f(l, true);
    if constexpr (kFloat) {
      low = clamps ? clamp_unit(low) : low;
      high = clamps ? clamp_unit(high) : high;
    }
    if constexpr (sizeof(T) == 4) {
      out.lane[l] = __builtin_bit_cast(u32, low);
      out.lane[l + kLanes] = __builtin_bit_cast(u32, high);
    } else {
      out.lane[l] = u32{__builtin_bit_cast(u16, low)} | u32{__builtin_bit_cast(u16, high)} << 16;
    }
  }
  const u64 exec = w.exec();
  blend(w.row(i->dst), out.lane, exec);
  if constexpr (sizeof(T) == 4) blend(w.row(i->dst) + kLanes, out.lane + kLanes, exec);
}

template <auto f, class C, class R, class A, class B>
HWY_INLINE void apply_packed(Wave& w, const Instruction* i, R (C::*)(A, B) const) {
  const PackedSource<A> a(w, i, 0);
  const PackedSource<B> b(w, i, 1);
  store_packed<R>(w, i, [&](unsigned l, bool high) HWY_ATTR {
    return high ? f(a.high_value(l), b.high_value(l)) : f(a.low_value(l), b.low_value(l));
  });
}

template <auto f, class C, class R, class A, class B, class D>
HWY_INLINE void apply_packed(Wave& w, const Instruction* i, R (C::*)(A, B, D) const) {
  const PackedSource<A> a(w, i, 0);
  const PackedSource<B> b(w, i, 1);
  const PackedSource<D> c(w, i, 2);
  store_packed<R>(w, i, [&](unsigned l, bool high) HWY_ATTR {
    return high ? f(a.high_value(l), b.high_value(l), c.high_value(l))
                : f(a.low_value(l), b.low_value(l), c.low_value(l));
  });
}

template <auto f>
const Instruction* packed(Wave& w, const Instruction* i) {
  apply_packed<f>(w, i, &decltype(f)::operator());
  return i + 1;
}

template <auto f, auto saturating>
const Instruction* packed_saturating(Wave& w, const Instruction* i) {
  return i->clamp ? packed<saturating>(w, i) : packed<f>(w, i);
}

template <auto ieee, auto legacy>
const Instruction* packed_ieee(Wave& w, const Instruction* i) {
  return w.mode & kModeIeee ? packed<ieee>(w, i) : packed<legacy>(w, i);
}

// Two dwords, each any of its source's pair: the low result is of src0, the high one of src1.
const Instruction* move_pair(Wave& w, const Instruction* i) {
  const PackedSource<u32> a(w, i, 0), b(w, i, 1);
  const bool second = i->op_sel >> 1 & 1;
  Rows<2> out;
  __builtin_memcpy(out.lane, a.low_row, sizeof(Lanes));
  __builtin_memcpy(out.lane + kLanes, b.low + (second ? kLanes : 0), sizeof(Lanes));
  blend(w.row(i->dst), out.lane, w.exec());
  blend(w.row(i->dst) + kLanes, out.lane + kLanes, w.exec());
  return i + 1;
}

i32 clamp16(i32 x) { return x > 32767 ? 32767 : x < -32768 ? -32768 : x; }
u32 cap16(u32 x) { return x > 0xffff ? 0xffff : x; }

void register_floats(OperationTable& t) {
  auto half = [&](const char* name, Handler h) { t.add(name, kClass, h).f64_mode = true; };
  auto single = [&](const char* name, Handler h) { t.add(name, kClass, h).f32_mode = true; };
  half("v_pk_add_f16", packed<[](f16 a, f16 b) {
         return static_cast<f16>(static_cast<float>(a) + static_cast<float>(b));
       }>);
  half("v_pk_mul_f16", packed<[](f16 a, f16 b) {
         return static_cast<f16>(static_cast<float>(a) * static_cast<float>(b));
       }>);
  half("v_pk_fma_f16", packed<[](f16 a, f16 b, f16 c) { return fused(a, b, c); }>);
  half("v_pk_fmac_f16", packed<[](f16 a, f16 b, f16 c) { return fused(a, b, c); }>);
  half("v_pk_min_f16", packed_ieee<[](f16 a, f16 b) { return minimum<true>(a, b); },
                                   [](f16 a, f16 b) { return minimum<false>(a, b); }>);
  half("v_pk_max_f16", packed_ieee<[](f16 a, f16 b) { return maximum<true>(a, b); },
                                   [](f16 a, f16 b) { return maximum<false>(a, b); }>);
  single("v_pk_add_f32", packed<[](float a, float b) { return a + b; }>);
  single("v_pk_mul_f32", packed<[](float a, float b) { return a * b; }>);
  single("v_pk_fma_f32", packed<[](float a, float b, float c) { return __builtin_fmaf(a, b, c); }>);
}

void register_integers(OperationTable& t) {
  t.add("v_pk_add_u16", kClass,
        packed_saturating<[](u16 a, u16 b) { return static_cast<u16>(a + b); },
                          [](u16 a, u16 b) { return static_cast<u16>(cap16(u32{a} + b)); }>);
  t.add("v_pk_sub_u16", kClass,
        packed_saturating<[](u16 a, u16 b) { return static_cast<u16>(a - b); },
                          [](u16 a, u16 b) { return static_cast<u16>(a < b ? 0 : a - b); }>);
  t.add("v_pk_add_i16", kClass,
        packed_saturating<[](i16 a, i16 b) { return static_cast<i16>(a + b); },
                          [](i16 a, i16 b) { return static_cast<i16>(clamp16(i32{a} + b)); }>);
  t.add("v_pk_sub_i16", kClass,
        packed_saturating<[](i16 a, i16 b) { return static_cast<i16>(a - b); },
                          [](i16 a, i16 b) { return static_cast<i16>(clamp16(i32{a} - b)); }>);
  t.add("v_pk_mul_lo_u16", kClass,
        packed<[](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); }>);
  t.add("v_pk_mad_u16", kClass,
        packed_saturating<[](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); },
                          [](u16 a, u16 b, u16 c) {
                            const u64 r = u64{a} * b + c;
                            return static_cast<u16>(r > 0xffff ? 0xffff : r);
                          }>);
  t.add("v_pk_mad_i16", kClass,
        packed_saturating<[](i16 a, i16 b, i16 c) { return static_cast<i16>(i32{a} * b + c); },
                          [](i16 a, i16 b, i16 c) {
                            return static_cast<i16>(clamp16(i32{a} * b + c));
                          }>);
  t.add("v_pk_min_i16", kClass, packed<[](i16 a, i16 b) { return a < b ? a : b; }>);
  t.add("v_pk_max_i16", kClass, packed<[](i16 a, i16 b) { return a > b ? a : b; }>);
  t.add("v_pk_min_u16", kClass, packed<[](u16 a, u16 b) { return a < b ? a : b; }>);
  t.add("v_pk_max_u16", kClass, packed<[](u16 a, u16 b) { return a > b ? a : b; }>);
  t.add("v_pk_lshlrev_b16", kClass,
        packed<[](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); }>);
  t.add("v_pk_lshrrev_b16", kClass,
        packed<[](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }>);
  t.add("v_pk_ashrrev_i16", kClass,
        packed<[](u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }>);
  t.add("v_pk_mov_b32", kClass, move_pair);
}

}  // namespace

void register_packed(OperationTable& t) {
  register_floats(t);
  register_integers(t);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_packed);
void register_vector_packed(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_packed)(t); }
}  // namespace geak::emulator
#endif

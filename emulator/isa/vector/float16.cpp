// Half-precision arithmetic.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/float16.cpp"
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

Operation& add(OperationTable& t, const char* name, Handler handler) {
  Operation& operation = t.add(name, kClass, handler);
  operation.f64_mode = true;  // halves share the doubles' rounding
  return operation;
}

// Sums and products of halves are rounded correctly by way of float: it has more than twice the
// bits.
f16 sum(f16 a, f16 b) { return static_cast<f16>(static_cast<float>(a) + static_cast<float>(b)); }
f16 product(f16 a, f16 b) {
  return static_cast<f16>(static_cast<float>(a) * static_cast<float>(b));
}

void register_arithmetic(OperationTable& t) {
  add(t, "v_add_f16", lanes<[](f16 a, f16 b) { return sum(a, b); }>);
  add(t, "v_sub_f16", lanes<[](f16 a, f16 b) { return sum(a, -b); }>);
  add(t, "v_subrev_f16", lanes<[](f16 a, f16 b) { return sum(b, -a); }>);
  add(t, "v_mul_f16", lanes<[](f16 a, f16 b) { return product(a, b); }>);
  for (const char* name : {"v_mac_f16", "v_madmk_f16", "v_madak_f16", "v_mad_legacy_f16"})
    add(t, name, lanes<[](f16 a, f16 b, f16 c) { return sum(product(a, b), c); }>);
  add(t, "v_mad_f16", lanes_keep_half<[](f16 a, f16 b, f16 c) { return sum(product(a, b), c); }>);
  add(t, "v_fma_f16", lanes_keep_half<[](f16 a, f16 b, f16 c) { return fused(a, b, c); }>);
  add(t, "v_fma_legacy_f16", lanes<[](f16 a, f16 b, f16 c) { return fused(a, b, c); }>);
}

void register_min_max(OperationTable& t) {
  add(t, "v_min_f16",
      lanes_ieee<[](f16 a, f16 b) { return minimum<true>(a, b); },
                 [](f16 a, f16 b) { return minimum<false>(a, b); }>);
  add(t, "v_max_f16",
      lanes_ieee<[](f16 a, f16 b) { return maximum<true>(a, b); },
                 [](f16 a, f16 b) { return maximum<false>(a, b); }>);
  add(t, "v_min3_f16",
      lanes_ieee_keep_half<
          [](f16 a, f16 b, f16 c) { return minimum<true>(minimum<true>(a, b), c); },
          [](f16 a, f16 b, f16 c) { return minimum<false>(minimum<false>(a, b), c); }>);
  add(t, "v_max3_f16",
      lanes_ieee_keep_half<
          [](f16 a, f16 b, f16 c) { return maximum<true>(maximum<true>(a, b), c); },
          [](f16 a, f16 b, f16 c) { return maximum<false>(maximum<false>(a, b), c); }>);
  add(t, "v_med3_f16",
      lanes_ieee_keep_half<[](f16 a, f16 b, f16 c) { return middle<true>(a, b, c); },
                           [](f16 a, f16 b, f16 c) { return middle<false>(a, b, c); }>);
}

void register_rounding(OperationTable& t) {
  add(t, "v_floor_f16", lanes<[](f16 a) { return floor_of(a); }>);
  add(t, "v_ceil_f16", lanes<[](f16 a) { return ceil_of(a); }>);
  add(t, "v_trunc_f16", lanes<[](f16 a) { return trunc_of(a); }>);
  add(t, "v_rndne_f16", lanes<[](f16 a) { return round_even(a); }>);
  // Below 1 even where the subtraction would round to it.
  add(t, "v_fract_f16", lanes<[](f16 a) {
        const f16 f = sum(a, -floor_of(a));
        return f >= static_cast<f16>(1.0f) ? to_half(0x3bff) : f;
      }>);
}

void register_parts(OperationTable& t) {
  add(t, "v_ldexp_f16", lanes<[](f16 a, i16 b) { return scale_half(a, b); }>);
  add(t, "v_frexp_mant_f16", lanes<[](f16 a) { return fraction_part(a); }>);
  add(t, "v_frexp_exp_i16_f16",
      lanes<[](f16 a) { return static_cast<i16>(fraction_exponent(a)); }>);
  add(t, "v_pack_b32_f16",
      lanes<[](f16 a, f16 b) { return u32{bits_of(a)} | u32{bits_of(b)} << 16; }>);
}

}  // namespace

void register_float16(OperationTable& t) {
  register_arithmetic(t);
  register_min_max(t);
  register_rounding(t);
  register_parts(t);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_float16);
void register_vector_float16(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_float16)(t); }
}  // namespace geak::emulator
#endif

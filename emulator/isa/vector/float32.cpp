// Single-precision arithmetic.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/float32.cpp"
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
  operation.f32_mode = true;
  return operation;
}

void register_arithmetic(OperationTable& t) {
  add(t, "v_add_f32", lanes<[](float a, float b) { return a + b; }>);
  add(t, "v_sub_f32", lanes<[](float a, float b) { return a - b; }>);
  add(t, "v_subrev_f32", lanes<[](float a, float b) { return b - a; }>);
  add(t, "v_mul_f32", lanes<[](float a, float b) { return a * b; }>);
  // 0 times anything is 0.
  add(t, "v_mul_legacy_f32",
      lanes<[](float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; }>);
  for (const char* name : {"v_fma_f32", "v_fmac_f32", "v_fmamk_f32", "v_fmaak_f32"})
    add(t, name, lanes<[](float a, float b, float c) { return __builtin_fmaf(a, b, c); }>);
  // Rounded after the multiplication too.
  for (const char* name : {"v_mad_f32", "v_mac_f32", "v_madmk_f32", "v_madak_f32"})
    add(t, name, lanes<[](float a, float b, float c) {
          const float product = a * b;
          return product + c;
        }>);
  add(t, "v_mad_legacy_f32", lanes<[](float a, float b, float c) {
        const float product = a == 0 || b == 0 ? 0.0f : a * b;
        return product + c;
      }>);
}

void register_min_max(OperationTable& t) {
  add(t, "v_min_f32",
      lanes_ieee<[](float a, float b) { return minimum<true>(a, b); },
                 [](float a, float b) { return minimum<false>(a, b); }>);
  add(t, "v_max_f32",
      lanes_ieee<[](float a, float b) { return maximum<true>(a, b); },
                 [](float a, float b) { return maximum<false>(a, b); }>);
  add(t, "v_min3_f32",
      lanes_ieee<[](float a, float b, float c) { return minimum<true>(minimum<true>(a, b), c); },
                 [](float a, float b, float c) {
                   return minimum<false>(minimum<false>(a, b), c);
                 }>);
  add(t, "v_max3_f32",
      lanes_ieee<[](float a, float b, float c) { return maximum<true>(maximum<true>(a, b), c); },
                 [](float a, float b, float c) {
                   return maximum<false>(maximum<false>(a, b), c);
                 }>);
  add(t, "v_med3_f32",
      lanes_ieee<[](float a, float b, float c) { return middle<true>(a, b, c); },
                 [](float a, float b, float c) { return middle<false>(a, b, c); }>);
}

void register_rounding(OperationTable& t) {
  add(t, "v_floor_f32", lanes<[](float a) { return floor_of(a); }>);
  add(t, "v_ceil_f32", lanes<[](float a) { return ceil_of(a); }>);
  add(t, "v_trunc_f32", lanes<[](float a) { return trunc_of(a); }>);
  add(t, "v_rndne_f32", lanes<[](float a) { return round_even(a); }>);
  // Below 1 even where the subtraction would round to it.
  add(t, "v_fract_f32", lanes<[](float a) {
        const float f = a - floor_of(a);
        return f >= 1.0f ? to_float(0x3f7fffff) : f;
      }>);
}

void register_parts(OperationTable& t) {
  add(t, "v_ldexp_f32", lanes<[](float a, i32 b) { return scale_float(a, b); }>);
  add(t, "v_frexp_mant_f32", lanes<[](float a) { return fraction_part(a); }>);
  add(t, "v_frexp_exp_i32_f32", lanes<[](float a) { return fraction_exponent(a); }>);
}

}  // namespace

void register_float32(OperationTable& t) {
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
HWY_EXPORT(register_float32);
void register_vector_float32(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_float32)(t); }
}  // namespace geak::emulator
#endif

// Double-precision arithmetic.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/float64.cpp"
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
  operation.f64_mode = true;
  return operation;
}

void register_arithmetic(OperationTable& t) {
  add(t, "v_add_f64", lanes<[](double a, double b) { return a + b; }>);
  add(t, "v_mul_f64", lanes<[](double a, double b) { return a * b; }>);
  for (const char* name : {"v_fma_f64", "v_fmac_f64"})
    add(t, name, lanes<[](double a, double b, double c) { return __builtin_fma(a, b, c); }>);
}

void register_min_max(OperationTable& t) {
  add(t, "v_min_f64",
      lanes_ieee<[](double a, double b) { return minimum<true>(a, b); },
                 [](double a, double b) { return minimum<false>(a, b); }>);
  add(t, "v_max_f64",
      lanes_ieee<[](double a, double b) { return maximum<true>(a, b); },
                 [](double a, double b) { return maximum<false>(a, b); }>);
}

void register_rounding(OperationTable& t) {
  add(t, "v_floor_f64", lanes<[](double a) { return floor_of(a); }>);
  add(t, "v_ceil_f64", lanes<[](double a) { return ceil_of(a); }>);
  add(t, "v_trunc_f64", lanes<[](double a) { return trunc_of(a); }>);
  add(t, "v_rndne_f64", lanes<[](double a) { return round_even(a); }>);
  // Below 1 even where the subtraction would round to it.
  add(t, "v_fract_f64", lanes<[](double a) {
        const double f = a - floor_of(a);
        return f >= 1.0 ? to_double(0x3fefffffffffffff) : f;
      }>);
}

void register_parts(OperationTable& t) {
  add(t, "v_ldexp_f64", lanes<[](double a, i32 b) { return scale_double(a, b); }>);
  add(t, "v_frexp_mant_f64", lanes<[](double a) { return fraction_part(a); }>);
  add(t, "v_frexp_exp_i32_f64", lanes<[](double a) { return fraction_exponent(a); }>);
}

}  // namespace

void register_float64(OperationTable& t) {
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
HWY_EXPORT(register_float64);
void register_vector_float64(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_float64)(t); }
}  // namespace geak::emulator
#endif

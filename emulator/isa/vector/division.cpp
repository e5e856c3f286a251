// The steps of a division: v_div_scale, v_div_fmas, v_div_fixup.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/division.cpp"
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

template <class T>
struct Division;
template <>
struct Division<float> {
  static constexpr int kScale = 64, kFarApart = 96, kTiny = 23, kUnderflow = -150;
  static constexpr float kLeastNormal = 0x1p-126f;
  static constexpr u32 kInvalid = 0xffc00000;
};
template <>
struct Division<double> {
  static constexpr int kScale = 128, kFarApart = 768, kTiny = 53, kUnderflow = -1075;
  static constexpr double kLeastNormal = 0x1p-1022;
  static constexpr u64 kInvalid = 0xfff8000000000000;
};

template <class T>
bool is_denormal(T x) {
  return x != 0 && exponent_field(x) == 0;
}

// By the bits: the sign of a zero counts too.
float magnitude(float x) { return to_float(bits_of(x) & ~kSignBit); }
double magnitude(double x) { return to_double(bits_of(x) & ~kSignBit64); }

float power_of_two(float, int n) { return to_float(static_cast<u32>(n + 127) << 23); }
double power_of_two(double, int n) { return to_double(static_cast<u64>(n + 1023) << 52); }

// Scales x, which is the numerator n or the denominator d, so that the Newton steps of a division
// neither overflow nor underflow. The flag tells v_div_fmas to undo it.
template <class T>
Carry<T> scale_for_division(T x, T d, T n) {
  using D = Division<T>;
  const T up = power_of_two(T{}, D::kScale), down = power_of_two(T{}, -D::kScale);
  if (n == 0 || d == 0) return {__builtin_bit_cast(T, D::kInvalid), false};
  const bool is_denominator = bits_of(x) == bits_of(d), is_numerator = bits_of(x) == bits_of(n);
  const bool finite = exponent_field(d) != FloatTraits<T>::kMaxExponent;
  const bool tiny_reciprocal = finite && magnitude(T{1} / d) < D::kLeastNormal;
  const bool tiny_quotient = finite && magnitude(n / d) < D::kLeastNormal;
  if (exponent_field(n) - exponent_field(d) >= D::kFarApart)
    return {is_denominator ? x * up : x, true};
  if (is_denormal(d)) return {x * up, false};
  // Both tiny: the denominator is huge; made smaller, quotient and reciprocal stay normal.
  if (tiny_reciprocal && tiny_quotient) return {is_denominator ? x * down : x, true};
  if (tiny_reciprocal) return {x * down, false};
  if (tiny_quotient) return {is_numerator ? x * up : x, true};
  if (exponent_field(n) <= D::kTiny) return {x * up, false};
  return {x, false};
}

// The quotient, or the special result that numerator and denominator ask for.
template <class T>
T fix_division(T quotient, T d, T n) {
  using D = Division<T>;
  const bool negative = (bits_of(d) ^ bits_of(n)) >> (sizeof(T) * 8 - 1);
  const T infinity = static_cast<T>(__builtin_inff());
  auto with_sign = [&](T x) HWY_ATTR { return negative ? -x : x; };
  if (is_nan(n)) return quiet(n);
  if (is_nan(d)) return quiet(d);
  if ((d == 0 && n == 0) || (is_infinite(d) && is_infinite(n)))
    return __builtin_bit_cast(T, D::kInvalid);
  if (d == 0 || is_infinite(n)) return with_sign(infinity);
  if (is_infinite(d) || n == 0) return with_sign(T{0});
  if (exponent_field(n) - exponent_field(d) < D::kUnderflow) return with_sign(T{0});
  // Finite operands: the steps left a NaN only where the quotient overflowed.
  if (is_nan(quotient)) return with_sign(infinity);
  return with_sign(magnitude(quotient));
}

f16 fix_division_half(f16 quotient, f16 d, f16 n) {
  const u16 sign = (bits_of(d) ^ bits_of(n)) & 0x8000;
  const u16 dm = bits_of(d) & 0x7fff, nm = bits_of(n) & 0x7fff;
  if (is_nan(n)) return quiet(n);
  if (is_nan(d)) return quiet(d);
  if ((dm == 0 && nm == 0) || (dm == 0x7c00 && nm == 0x7c00)) return to_half(0xfe00);
  if (dm == 0 || nm == 0x7c00) return to_half(sign | 0x7c00);
  if (dm == 0x7c00 || nm == 0) return to_half(sign);
  return to_half(static_cast<u16>(sign | (bits_of(quotient) & 0x7fff)));
}

// fma, and where VCC says so the scale undone: a quotient that was kept small (its estimate, src2,
// is still 2 or more) goes up, one that was kept large goes down.
template <class T>
const Instruction* fused_multiply_add_scaled(Wave& w, const Instruction* i) {
  using D = Division<T>;
  const Source<T> a(w, i, 0), b(w, i, 1), c(w, i, 2);
  Rows<1> scaled;
  flags_of(w.vcc(), scaled.lane);
  Destination<T> out(w, i);
  GEAK_EACH_LANE(l) {
    const T sum = fused(a[l], b[l], c[l]);
    const T scale = exponent_field(c[l]) > FloatTraits<T>::kBias ? power_of_two(T{}, D::kScale)
                                                                 : power_of_two(T{}, -D::kScale);
    out.set(l, scaled.lane[l] ? sum * scale : sum);
  }
  out.finish_to(w, i);
  return i + 1;
}

}  // namespace

void register_division(OperationTable& t) {
  constexpr const char* kNote =
      "divides correctly in the compiler's sequences; which cases are scaled is the manual's";
  t.add("v_div_scale_f32", kClass,
        lanes<[](float x, float d, float n) { return scale_for_division(x, d, n); }>,
        Fidelity::exact, kNote)
      .f32_mode = true;
  t.add("v_div_scale_f64", kClass,
        lanes<[](double x, double d, double n) { return scale_for_division(x, d, n); }>,
        Fidelity::exact, kNote)
      .f64_mode = true;
  t.add("v_div_fmas_f32", kClass, fused_multiply_add_scaled<float>).f32_mode = true;
  t.add("v_div_fmas_f64", kClass, fused_multiply_add_scaled<double>).f64_mode = true;
  t.add("v_div_fixup_f32", kClass,
        lanes<[](float q, float d, float n) { return fix_division(q, d, n); }>)
      .f32_mode = true;
  t.add("v_div_fixup_f64", kClass,
        lanes<[](double q, double d, double n) { return fix_division(q, d, n); }>)
      .f64_mode = true;
  t.add("v_div_fixup_f16", kClass,
        lanes_keep_half<[](f16 q, f16 d, f16 n) { return fix_division_half(q, d, n); }>)
      .f64_mode = true;
  t.add("v_div_fixup_legacy_f16", kClass,
        lanes<[](f16 q, f16 d, f16 n) { return fix_division_half(q, d, n); }>)
      .f64_mode = true;
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_division);
void register_vector_division(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_division)(t); }
}  // namespace geak::emulator
#endif

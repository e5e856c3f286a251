// Reciprocals, roots, exponentials, logarithms, sines: approximate on the hardware.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/transcendental.cpp"
#include <string_view>

#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kTranscendental = InstructionClass::transcendental;

// 2 to the x. Reduced to |r| <= 1/2, Taylor's series of e^(r ln 2) to the 9th power: relative error
// below 1e-11, far under half an ulp of a float.
float exp2_of(float x) {
  // NaN becomes a number here: it could not be converted to an integer.
  const float inside = x >= 200.0f ? 200.0f : x >= -200.0f ? x : -200.0f;
  const double whole = __builtin_roundeven(static_cast<double>(inside));
  const double r = (static_cast<double>(inside) - whole) * 0.693147180559945309417;
  double sum = 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const i64 exponent = static_cast<i64>(static_cast<i32>(whole)) + 1023;
  const float result = static_cast<float>(sum * to_double(static_cast<u64>(exponent) << 52));
  return is_nan(x) ? quiet(x) : result;
}

// Logarithm to base 2: exponent plus 2/ln 2 atanh((m-1)/(m+1)) for m in [sqrt 1/2, sqrt 2).
float log2_of(float x) {
  const double wide = x;  // every float is a normal double
  const u64 bits = bits_of(wide);
  const i64 offset = static_cast<i64>(bits - 0x3fe6a09e667f3bcd);  // sqrt(1/2)
  const i32 exponent = static_cast<i32>(offset >> 52);
  const double m = to_double(bits - (static_cast<u64>(static_cast<i64>(exponent)) << 52));
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double sum = 1.0 / 15;
  sum = sum * z + 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  sum = sum * z + 1.0;
  const double log = static_cast<double>(exponent) + sum * s * 2.885390081777926814720;
  const float number = static_cast<float>(log);
  const float zero_or_less = x == 0.0f ? -__builtin_inff() : to_float(0xffc00000);
  const float positive = x > 3.4028235e38f ? x : number;
  return is_nan(x) ? quiet(x) : x > 0.0f ? positive : zero_or_less;
}

// sin(2 pi x). Reduced to a quarter turn, Taylor's series to the 17th power: error below 1e-13.
double sin_turns(double x) {
  const double r = x - __builtin_roundeven(x);  // exact, |r| <= 1/2
  const double half = r < 0 ? -0.5 : 0.5;
  const double folded = (r < 0 ? -r : r) > 0.25 ? half - r : r;
  const double a = folded * 6.283185307179586476925, z = a * a;
  double sum = 1.0 / 355687428096000;
  sum = sum * z - 1.0 / 1307674368000;
  sum = sum * z + 1.0 / 6227020800;
  sum = sum * z - 1.0 / 39916800;
  sum = sum * z + 1.0 / 362880;
  sum = sum * z - 1.0 / 5040;
  sum = sum * z + 1.0 / 120;
  sum = sum * z - 1.0 / 6;
  return a + a * z * sum;
}

// Beyond 256 turns the hardware gives up: sine 0, cosine 1.
float sine(float x) {
  const float value = static_cast<float>(sin_turns(x));
  const float zero = x < 0 ? -0.0f : 0.0f;
  const float magnitude = x < 0 ? -x : x;
  if (is_nan(x) || magnitude > 3.4028235e38f) return to_float(0xffc00000);
  return x == 0.0f ? x : magnitude > 256.0f ? zero : value;
}
float cosine(float x) {
  const float value = static_cast<float>(sin_turns(static_cast<double>(x) + 0.25));
  const float magnitude = x < 0 ? -x : x;
  if (is_nan(x) || magnitude > 3.4028235e38f) return to_float(0xffc00000);
  return magnitude > 256.0f ? 1.0f : value;
}

float reciprocal(float x) { return 1.0f / x; }
float reciprocal_root(float x) {
  // One rounding: the root is exact to 53 bits.
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}

f16 half_of(float x) { return static_cast<f16>(x); }

void add(OperationTable& t, const char* name, Handler handler, const char* bound) {
  Operation& operation = t.add(name, kTranscendental, handler, Fidelity::approximate, bound);
  const std::string_view suffix = std::string_view(name).substr(std::string_view(name).size() - 3);
  operation.f32_mode = suffix == "f32";
  operation.f64_mode = suffix != "f32";
}

constexpr const char* kUlp1 = "computed to within 1 ulp; the hardware may differ by 1 ulp";
constexpr const char* kTurns = "computed to within 1 ulp; the hardware's absolute error is 2^-20";
constexpr const char* kDouble = "computed to within 1 ulp; the hardware promises 2^-29 relative";

void register_single(OperationTable& t) {
  add(t, "v_rcp_f32", lanes<[](float a) { return reciprocal(a); }>, kUlp1);
  add(t, "v_rcp_iflag_f32", lanes<[](float a) { return reciprocal(a); }>, kUlp1);
  add(t, "v_rsq_f32", lanes<[](float a) { return reciprocal_root(a); }>, kUlp1);
  add(t, "v_sqrt_f32", lanes<[](float a) { return __builtin_sqrtf(a); }>, kUlp1);
  add(t, "v_exp_f32", lanes<[](float a) { return exp2_of(a); }>, kUlp1);
  add(t, "v_exp_legacy_f32", lanes<[](float a) { return exp2_of(a); }>, kUlp1);
  add(t, "v_log_f32", lanes<[](float a) { return log2_of(a); }>, kUlp1);
  add(t, "v_log_legacy_f32", lanes<[](float a) { return log2_of(a); }>, kUlp1);
  add(t, "v_sin_f32", lanes<[](float a) { return sine(a); }>, kTurns);
  add(t, "v_cos_f32", lanes<[](float a) { return cosine(a); }>, kTurns);
}

void register_half(OperationTable& t) {
  add(t, "v_rcp_f16", lanes<[](f16 a) { return half_of(reciprocal(a)); }>, kUlp1);
  add(t, "v_rsq_f16", lanes<[](f16 a) { return half_of(reciprocal_root(a)); }>, kUlp1);
  add(t, "v_sqrt_f16", lanes<[](f16 a) { return half_of(__builtin_sqrtf(a)); }>, kUlp1);
  add(t, "v_exp_f16", lanes<[](f16 a) { return half_of(exp2_of(a)); }>, kUlp1);
  add(t, "v_log_f16", lanes<[](f16 a) { return half_of(log2_of(a)); }>, kUlp1);
  add(t, "v_sin_f16", lanes<[](f16 a) { return half_of(sine(a)); }>, kUlp1);
  add(t, "v_cos_f16", lanes<[](f16 a) { return half_of(cosine(a)); }>, kUlp1);
}

void register_double(OperationTable& t) {
  add(t, "v_rcp_f64", lanes<[](double a) { return 1.0 / a; }>, kDouble);
  add(t, "v_rsq_f64", lanes<[](double a) { return 1.0 / __builtin_sqrt(a); }>, kDouble);
  add(t, "v_sqrt_f64", lanes<[](double a) { return __builtin_sqrt(a); }>, kDouble);
}

}  // namespace

void register_transcendental(OperationTable& t) {
  register_single(t);
  register_half(t);
  register_double(t);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_transcendental);
void register_vector_transcendental(OperationTable& t) {
  HWY_DYNAMIC_DISPATCH(register_transcendental)(t);
}
}  // namespace geak::emulator
#endif

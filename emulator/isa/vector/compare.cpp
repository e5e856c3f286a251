// Comparisons: v_cmp, v_cmpx, v_cmp_class.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/compare.cpp"
#include <string>

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

#define GEAK_FLOAT_COMPARISONS(T, suffix)                             \
  both<[](T, T) { return false; }>(t, "f_" suffix);                   \
  both<[](T a, T b) { return a < b; }>(t, "lt_" suffix);              \
  both<[](T a, T b) { return a == b; }>(t, "eq_" suffix);             \
  both<[](T a, T b) { return a <= b; }>(t, "le_" suffix);             \
  both<[](T a, T b) { return a > b; }>(t, "gt_" suffix);              \
  both<[](T a, T b) { return a < b || a > b; }>(t, "lg_" suffix);     \
  both<[](T a, T b) { return a >= b; }>(t, "ge_" suffix);             \
  both<[](T a, T b) { return a == a && b == b; }>(t, "o_" suffix);    \
  both<[](T a, T b) { return a != a || b != b; }>(t, "u_" suffix);    \
  both<[](T a, T b) { return !(a >= b); }>(t, "nge_" suffix);         \
  both<[](T a, T b) { return !(a < b || a > b); }>(t, "nlg_" suffix); \
  both<[](T a, T b) { return !(a > b); }>(t, "ngt_" suffix);          \
  both<[](T a, T b) { return !(a <= b); }>(t, "nle_" suffix);         \
  both<[](T a, T b) { return !(a == b); }>(t, "neq_" suffix);         \
  both<[](T a, T b) { return !(a < b); }>(t, "nlt_" suffix);          \
  both<[](T, T) { return true; }>(t, "tru_" suffix)

#define GEAK_INTEGER_COMPARISONS(T, suffix)               \
  both<[](T, T) { return false; }>(t, "f_" suffix);       \
  both<[](T a, T b) { return a < b; }>(t, "lt_" suffix);  \
  both<[](T a, T b) { return a == b; }>(t, "eq_" suffix); \
  both<[](T a, T b) { return a <= b; }>(t, "le_" suffix); \
  both<[](T a, T b) { return a > b; }>(t, "gt_" suffix);  \
  both<[](T a, T b) { return a != b; }>(t, "ne_" suffix); \
  both<[](T a, T b) { return a >= b; }>(t, "ge_" suffix); \
  both<[](T, T) { return true; }>(t, "t_" suffix)

// v_cmp_<name> writes a mask, v_cmpx_<name> EXEC too.
template <auto f>
void both(OperationTable& t, const std::string& name) {
  Operation& plain = t.add("v_cmp_" + name, kClass, compare<f, false>);
  Operation& to_exec = t.add("v_cmpx_" + name, kClass, compare<f, true>);
  plain.f32_mode = to_exec.f32_mode = name.ends_with("f32");
  plain.f64_mode = to_exec.f64_mode = name.ends_with("f64") || name.ends_with("f16");
}

// The bit of v_cmp_class's mask that x belongs to.
template <class T>
u32 class_bit(T x) {
  using R = FloatTraits<T>;
  using Bits = typename R::Bits;
  const Bits bits = bits_of(x);
  const bool negative = bits >> (sizeof(T) * 8 - 1) & 1;
  const Bits mantissa = bits & static_cast<Bits>((Bits{1} << R::kMantissa) - 1);
  const int exponent = exponent_field(x);
  const u32 infinite = mantissa == 0 ? (negative ? 2u : 9u) : (is_signaling(x) ? 0u : 1u);
  const u32 tiny = mantissa == 0 ? (negative ? 5u : 6u) : (negative ? 4u : 7u);
  const u32 normal = negative ? 3u : 8u;
  return exponent == R::kMaxExponent ? infinite : exponent == 0 ? tiny : normal;
}

}  // namespace

void register_compare(OperationTable& t) {
  GEAK_FLOAT_COMPARISONS(float, "f32");
  GEAK_FLOAT_COMPARISONS(double, "f64");
  GEAK_FLOAT_COMPARISONS(f16, "f16");
  GEAK_INTEGER_COMPARISONS(i32, "i32");
  GEAK_INTEGER_COMPARISONS(u32, "u32");
  GEAK_INTEGER_COMPARISONS(i64, "i64");
  GEAK_INTEGER_COMPARISONS(u64, "u64");
  GEAK_INTEGER_COMPARISONS(i16, "i16");
  GEAK_INTEGER_COMPARISONS(u16, "u16");
  both<[](float a, u32 b) { return (b >> class_bit(a) & 1) != 0; }>(t, "class_f32");
  both<[](double a, u32 b) { return (b >> class_bit(a) & 1) != 0; }>(t, "class_f64");
  both<[](f16 a, u32 b) { return (b >> class_bit(a) & 1) != 0; }>(t, "class_f16");
}

#undef GEAK_FLOAT_COMPARISONS
#undef GEAK_INTEGER_COMPARISONS

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_compare);
void register_vector_compare(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_compare)(t); }
}  // namespace geak::emulator
#endif

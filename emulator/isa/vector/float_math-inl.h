// Floating-point helpers shared by the vector families; once for each Highway target. Templates
// over float, double and _Float16.
#if defined(GEAK_EMULATOR_ISA_FLOAT_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GEAK_EMULATOR_ISA_FLOAT_MATH_INL_H
#undef GEAK_EMULATOR_ISA_FLOAT_MATH_INL_H
#else
#define GEAK_EMULATOR_ISA_FLOAT_MATH_INL_H
#endif

#include <cstdint>

#include "emulator/isa/vector/float_bits.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {

// Minimum and maximum as the manual defines them. -0 is less than +0; a NaN loses against a number;
// under MODE.IEEE a signaling NaN is quieted and wins.
template <bool ieee, class T>
HWY_INLINE T minimum(T a, T b) {
  const T number = ordered(a) < ordered(b) ? a : b;
  T result = is_nan(a) ? b : is_nan(b) ? a : number;
  if (ieee) {
    result = is_signaling(b) ? quiet(b) : result;
    result = is_signaling(a) ? quiet(a) : result;
  }
  return result;
}

template <bool ieee, class T>
HWY_INLINE T maximum(T a, T b) {
  const T number = ordered(a) > ordered(b) ? a : b;
  T result = is_nan(a) ? b : is_nan(b) ? a : number;
  if (ieee) {
    result = is_signaling(b) ? quiet(b) : result;
    result = is_signaling(a) ? quiet(a) : result;
  }
  return result;
}

// With a NaN among the three: their minimum; else the middle one.
template <bool ieee, class T>
HWY_INLINE T middle(T a, T b, T c) {
  const T least = minimum<ieee>(minimum<ieee>(a, b), c);
  const T upper_of_ab = ordered(a) > ordered(b) ? a : b,
          lower_of_ab = ordered(a) > ordered(b) ? b : a;
  const T capped = ordered(upper_of_ab) < ordered(c) ? upper_of_ab : c;
  const T median = ordered(lower_of_ab) > ordered(capped) ? lower_of_ab : capped;
  return is_nan(a) || is_nan(b) || is_nan(c) ? least : median;
}

HWY_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HWY_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// Half: the product is exact in double, the sum is rounded to odd there, so that the one rounding
// that counts is the one to half.
HWY_INLINE _Float16 fused(_Float16 a, _Float16 b, _Float16 c) {
  const double product = static_cast<double>(static_cast<float>(a)) * static_cast<float>(b);
  const double addend = static_cast<float>(c);
  const double sum = product + addend;
  // The error of the addition (Knuth's two-sum); it is not 0 only when the sum was rounded.
  const double virtual_addend = sum - product;
  const double error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
  std::uint64_t bits = bits_of(sum);
  const bool inexact = error != 0 && !is_nan(error);
  // To odd: truncate toward zero, then set the last bit.
  const bool away = (error < 0) == (sum > 0);
  bits = inexact ? ((bits - (away ? 1 : 0)) | 1) : bits;
  return static_cast<_Float16>(to_double(bits));
}

// Correctly rounded to even whatever the host's rounding mode is; no library calls, so that loops
// over lanes are vectorized.
HWY_INLINE float floor_of(float x) { return __builtin_floorf(x); }
HWY_INLINE double floor_of(double x) { return __builtin_floor(x); }
HWY_INLINE _Float16 floor_of(_Float16 x) {
  return static_cast<_Float16>(__builtin_floorf(static_cast<float>(x)));
}
HWY_INLINE float ceil_of(float x) { return __builtin_ceilf(x); }
HWY_INLINE double ceil_of(double x) { return __builtin_ceil(x); }
HWY_INLINE _Float16 ceil_of(_Float16 x) {
  return static_cast<_Float16>(__builtin_ceilf(static_cast<float>(x)));
}
HWY_INLINE float trunc_of(float x) { return __builtin_truncf(x); }
HWY_INLINE double trunc_of(double x) { return __builtin_trunc(x); }
HWY_INLINE _Float16 trunc_of(_Float16 x) {
  return static_cast<_Float16>(__builtin_truncf(static_cast<float>(x)));
}
HWY_INLINE float round_even(float x) { return __builtin_roundevenf(x); }
HWY_INLINE double round_even(double x) { return __builtin_roundeven(x); }
HWY_INLINE _Float16 round_even(_Float16 x) {
  return static_cast<_Float16>(__builtin_roundevenf(static_cast<float>(x)));
}
HWY_INLINE bool is_infinite(float x) { return (bits_of(x) & 0x7fffffff) == kInfinity; }
HWY_INLINE bool is_infinite(double x) { return (bits_of(x) & ~kSignBit64) == kInfinity64; }
HWY_INLINE bool is_infinite(_Float16 x) { return (bits_of(x) & 0x7fff) == 0x7c00; }

template <class T>
struct FloatTraits;
template <>
struct FloatTraits<float> {
  using Bits = std::uint32_t;
  static constexpr int kMantissa = 23, kBias = 127, kMaxExponent = 255;
};
template <>
struct FloatTraits<double> {
  using Bits = std::uint64_t;
  static constexpr int kMantissa = 52, kBias = 1023, kMaxExponent = 2047;
};
template <>
struct FloatTraits<_Float16> {
  using Bits = std::uint16_t;
  static constexpr int kMantissa = 10, kBias = 15, kMaxExponent = 31;
};

// The biased exponent field.
template <class T>
HWY_INLINE int exponent_field(T x) {
  using R = FloatTraits<T>;
  return static_cast<int>(bits_of(x) >> R::kMantissa) & R::kMaxExponent;
}

// x times 2 to the n, rounded once. The C library does this for double.
HWY_INLINE double scale_double(double x, std::int32_t n) { return __builtin_ldexp(x, n); }

// A float times a power of two is exact in double until it is rounded to float once.
HWY_INLINE float scale_float(float x, std::int32_t n) {
  const std::int32_t clamped = n < -400 ? -400 : n > 400 ? 400 : n;
  const double power = to_double(static_cast<std::uint64_t>(clamped + 1023) << 52);
  return static_cast<float>(static_cast<double>(x) * power);
}
HWY_INLINE _Float16 scale_half(_Float16 x, std::int32_t n) {
  const std::int32_t clamped = n < -64 ? -64 : n > 64 ? 64 : n;
  const float power = to_float(static_cast<std::uint32_t>(clamped + 127) << 23);
  return static_cast<_Float16>(static_cast<float>(x) * power);
}

// In [0.5, 1) with the sign of x; 0, infinities and NaNs unchanged.
template <class T>
HWY_INLINE T fraction_part(T x) {
  using R = FloatTraits<T>;
  using Bits = typename R::Bits;
  constexpr Bits kExponentMask = static_cast<Bits>(Bits{R::kMaxExponent} << R::kMantissa);
  constexpr Bits kHalfExponent = static_cast<Bits>(Bits{R::kBias - 1} << R::kMantissa);
  Bits bits = bits_of(x);
  const Bits exponent = bits & kExponentMask;
  const Bits magnitude = bits & static_cast<Bits>(~(Bits{1} << (sizeof(T) * 8 - 1)));
  if (magnitude == 0 || exponent == kExponentMask) return x;
  if (exponent == 0) {  // normalize
    const Bits sign = bits ^ magnitude;
    Bits m = magnitude;
    while ((m & (Bits{1} << R::kMantissa)) == 0) m = static_cast<Bits>(m << 1);
    bits = static_cast<Bits>(sign | m);
  }
  return __builtin_bit_cast(T, static_cast<Bits>((bits & ~kExponentMask) | kHalfExponent));
}

// The exponent that goes with fraction_part; 0 for 0, infinities and NaNs.
template <class T>
HWY_INLINE std::int32_t fraction_exponent(T x) {
  using R = FloatTraits<T>;
  using Bits = typename R::Bits;
  const Bits magnitude = bits_of(x) & static_cast<Bits>(~(Bits{1} << (sizeof(T) * 8 - 1)));
  int exponent = exponent_field(x);
  if (magnitude == 0 || exponent == R::kMaxExponent) return 0;
  if (exponent == 0) {
    Bits m = magnitude;
    exponent = 1;
    while ((m & (Bits{1} << R::kMantissa)) == 0) {
      m = static_cast<Bits>(m << 1);
      --exponent;
    }
  }
  return exponent - R::kBias + 1;
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#endif

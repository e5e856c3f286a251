// Expected results of floating-point vector instructions, by quadruple precision and the C library.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "tests/emulator/isa/conformance.h"

namespace geak::emulator::testing {
namespace {

// 113 bits: sums and products of the narrower formats are exact, or rounded far below their ulp.
using Quad = __float128;

template <class T>
bool nan_of(T x) {
  return x != x;
}

template <class T>
bool signaling(T x) {
  constexpr int kMantissa = sizeof(T) == 8 ? 52 : sizeof(T) == 4 ? 23 : 10;
  return nan_of(x) && (to_bits(x) >> (kMantissa - 1) & 1) == 0;
}

template <class T>
bool negative(T x) {
  return to_bits(x) >> (sizeof(T) * 8 - 1);
}

template <class T>
T quieted(T x) {
  constexpr int kMantissa = sizeof(T) == 8 ? 52 : sizeof(T) == 4 ? 23 : 10;
  return from_bits<T>(to_bits(x) | u64{1} << (kMantissa - 1));
}

// IEEE order with -0 before +0; numbers win over quiet NaNs, signaling NaNs over all, and come out
// quiet.
template <class T>
T least(T a, T b) {
  if (signaling(a)) return quieted(a);
  if (signaling(b)) return quieted(b);
  if (nan_of(a)) return b;
  if (nan_of(b)) return a;
  if (a == b) return negative(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T most(T a, T b) {
  if (signaling(a)) return quieted(a);
  if (signaling(b)) return quieted(b);
  if (nan_of(a)) return b;
  if (nan_of(b)) return a;
  if (a == b) return negative(a) ? b : a;
  return a > b ? a : b;
}
template <class T>
T mid(T a, T b, T c) {
  if (nan_of(a) || nan_of(b) || nan_of(c)) return least(least(a, b), c);
  T sorted[] = {a, b, c};
  std::sort(sorted, sorted + 3,
            [](T x, T y) { return x < y || (x == y && negative(x) && !negative(y)); });
  return sorted[1];
}

template <class T>
T product(T a, T b) {
  return static_cast<T>(static_cast<Quad>(a) * static_cast<Quad>(b));
}
template <class T>
T sum(T a, T b) {
  return static_cast<T>(static_cast<Quad>(a) + static_cast<Quad>(b));
}
template <class T>
T fused(T a, T b, T c) {
  if constexpr (sizeof(T) >= 4)
    return std::fma(a, b, c);  // the sum may need more bits than Quad has: the C library's
  else
    return static_cast<T>(static_cast<Quad>(a) * static_cast<Quad>(b) + static_cast<Quad>(c));
}

template <class T>
void arithmetic_cases(const std::string& type) {
  auto name = [&](const char* stem) { return stem + type; };
  vector_case(name("v_add_"), [](T a, T b) { return sum(a, b); });
  vector_case(name("v_mul_"), [](T a, T b) { return product(a, b); });
  vector_case(name("v_fma_"), [](T a, T b, T c) { return fused(a, b, c); }).keeps_high_half = true;
  vector_case(name("v_min_"), [](T a, T b) { return least(a, b); });
  vector_case(name("v_max_"), [](T a, T b) { return most(a, b); });
  vector_case(name("v_floor_"),
              [](T a) { return static_cast<T>(std::floor(static_cast<double>(a))); });
  vector_case(name("v_ceil_"),
              [](T a) { return static_cast<T>(std::ceil(static_cast<double>(a))); });
  vector_case(name("v_trunc_"),
              [](T a) { return static_cast<T>(std::trunc(static_cast<double>(a))); });
  vector_case(name("v_rndne_"),
              [](T a) { return static_cast<T>(std::nearbyint(static_cast<double>(a))); });
  vector_case(name("v_frexp_mant_"), [](T a) {
    int exponent;
    const double x = static_cast<double>(a);
    return std::isfinite(x) ? static_cast<T>(std::frexp(x, &exponent)) : a;
  });
  vector_case(name("v_fract_"), [](T a) {
    const double x = static_cast<double>(a);
    if (!std::isfinite(x)) return static_cast<T>(std::numeric_limits<double>::quiet_NaN());
    const T f = static_cast<T>(static_cast<Quad>(x) - static_cast<Quad>(std::floor(x)));
    const T below_one = static_cast<T>(1) - (sizeof(T) == 8   ? static_cast<T>(0x1p-53)
                                             : sizeof(T) == 4 ? static_cast<T>(0x1p-24)
                                                              : static_cast<T>(0x1p-11));
    return f < static_cast<T>(1) ? f : below_one;
  });
}

i32 binary_exponent(double x) {
  int exponent = 0;
  if (std::isfinite(x)) std::frexp(x, &exponent);
  return x == 0 ? 0 : exponent;
}

GEAK_CASES(arithmetic) {
  arithmetic_cases<float>("f32");
  arithmetic_cases<double>("f64");
  arithmetic_cases<Half>("f16");
  vector_case("v_sub_f32", [](float a, float b) { return sum(a, -b); });
  vector_case("v_subrev_f32", [](float a, float b) { return sum(b, -a); });
  vector_case("v_sub_f16", [](Half a, Half b) { return sum(a, static_cast<Half>(-b)); });
  vector_case("v_subrev_f16", [](Half a, Half b) { return sum(b, static_cast<Half>(-a)); });
  vector_case("v_mul_legacy_f32",
              [](float a, float b) { return a == 0 || b == 0 ? 0.0f : product(a, b); });
  vector_case("v_frexp_exp_i32_f32", [](float a) { return binary_exponent(a); });
  vector_case("v_frexp_exp_i32_f64", [](double a) { return binary_exponent(a); });
  vector_case("v_frexp_exp_i16_f16",
              [](Half a) { return static_cast<i16>(binary_exponent(static_cast<double>(a))); });
  vector_case("v_ldexp_f32",
              [](float a, i32 b) { return std::ldexp(a, std::clamp(b, -999, 999)); });
  vector_case("v_ldexp_f64",
              [](double a, i32 b) { return std::ldexp(a, std::clamp(b, -9999, 9999)); });
  vector_case("v_ldexp_f16", [](Half a, i16 b) {
    return static_cast<Half>(std::ldexp(static_cast<double>(a), std::clamp<int>(b, -99, 99)));
  });
  vector_case("v_fmac_f32", [](float a, float b, float c) { return fused(a, b, c); }).accumulates =
      true;
  vector_case("v_fmac_f64", [](double a, double b, double c) {
    return fused(a, b, c);
  }).accumulates = true;
  vector_case("v_mad_legacy_f16", [](Half a, Half b, Half c) { return sum(product(a, b), c); });
  vector_case("v_mad_f16", [](Half a, Half b, Half c) {
    return sum(product(a, b), c);
  }).keeps_high_half = true;
  vector_case("v_fma_legacy_f16", [](Half a, Half b, Half c) { return fused(a, b, c); });
  vector_case("v_mac_f16", [](Half a, Half b, Half c) {
    return sum(product(a, b), c);
  }).accumulates = true;
  const std::vector<Arch> old_only = {Arch::gfx90a};
  vector_case("v_mad_f32", [](float a, float b, float c) { return sum(product(a, b), c); }).archs =
      old_only;
  vector_case("v_mad_legacy_f32", [](float a, float b, float c) {
    return sum(a == 0 || b == 0 ? 0.0f : product(a, b), c);
  }).archs = old_only;
  VectorCase& mac =
      vector_case("v_mac_f32", [](float a, float b, float c) { return sum(product(a, b), c); });
  mac.accumulates = true;
  mac.archs = old_only;
  vector_case("v_cvt_pkaccum_u8_f32", [](float a, u32 b, u32 c) {
    const u32 byte = static_cast<u32>(std::isnan(a) ? 0 : std::trunc(std::clamp(a, 0.0f, 255.0f)));
    const u32 shift = b % 4 * 8;
    return (c & ~(255u << shift)) | byte << shift;
  }).accumulates = true;
  vector_case("v_pack_b32_f16",
              [](Half a, Half b) { return static_cast<u32>(to_bits(a) | to_bits(b) << 16); });
}

template <class T>
void three_cases(const std::string& type) {
  vector_case("v_min3_" + type, [](T a, T b, T c) {
    return least(least(a, b), c);
  }).keeps_high_half = true;
  vector_case("v_max3_" + type, [](T a, T b, T c) { return most(most(a, b), c); }).keeps_high_half =
      true;
  vector_case("v_med3_" + type, [](T a, T b, T c) { return mid(a, b, c); }).keeps_high_half = true;
}

GEAK_CASES(threes) {
  three_cases<float>("f32");
  three_cases<Half>("f16");
}

template <class T>
T unit(T x) {
  return nan_of(x) || !(x > 0) ? T(0) : x > T(1) ? T(1) : x;
}

template <class F>
VectorCase& packed_singles(const char* name, F f) {
  VectorCase& test = vector_case(name, f);
  test.packed_nan = Type::f32;
  return test;
}

GEAK_CASES(modifiers) {
  auto with = [](const char* suffix, VectorCase& test) { test.suffix = suffix; };
  with("clamp", vector_case("v_add_f32_e64", [](float a, float b) { return unit(sum(a, b)); }));
  with("clamp", vector_case("v_mul_f64", [](double a, double b) { return unit(product(a, b)); }));
  with("clamp", vector_case("v_mul_f16_e64", [](Half a, Half b) { return unit(product(a, b)); }));
  // OMOD does nothing under IEEE mode, and multiplies when neither IEEE nor denormals are on.
  with("mul:4", vector_case("v_add_f32_e64", [](float a, float b) { return sum(a, b); }));
  with("neg_lo:[1,0] neg_hi:[0,1]", packed_singles("v_pk_add_f32", [](u64 a, u64 b) {
         const float low = sum(-from_bits<float>(a), from_bits<float>(b));
         const float high = sum(from_bits<float>(a >> 32), -from_bits<float>(b >> 32));
         return to_bits(low) | to_bits(high) << 32;
       }));
}

template <class T>
void float_comparisons(const std::string& type, const std::string& family) {
  auto name = [&](const char* relation) { return family + relation + "_" + type; };
  // Each relation by the outcomes it accepts: less, equal, greater, unordered.
  struct Relation {
    const char* name;
    bool less, equal, greater, unordered;
  };
  static constexpr Relation kRelations[] = {
      {"f", 0, 0, 0, 0},   {"lt", 1, 0, 0, 0},  {"eq", 0, 1, 0, 0},  {"le", 1, 1, 0, 0},
      {"gt", 0, 0, 1, 0},  {"lg", 1, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"o", 1, 1, 1, 0},
      {"u", 0, 0, 0, 1},   {"nge", 1, 0, 0, 1}, {"nlg", 0, 1, 0, 1}, {"ngt", 1, 1, 0, 1},
      {"nle", 0, 0, 1, 1}, {"neq", 1, 0, 1, 1}, {"nlt", 0, 1, 1, 1}, {"tru", 1, 1, 1, 1}};
  for (const Relation& r : kRelations)
    vector_case(name(r.name), [r](T a, T b) {
      if (nan_of(a) || nan_of(b)) return r.unordered;
      const double x = static_cast<double>(a), y = static_cast<double>(b);
      return x < y ? r.less : x == y ? r.equal : r.greater;
    });
  vector_case(name("class"), [](T a, u32 mask) {
    const double x = static_cast<double>(a);
    const double least_normal = sizeof(T) == 8 ? 0x1p-1022 : sizeof(T) == 4 ? 0x1p-126 : 0x1p-14;
    unsigned kind;
    if (nan_of(a))
      kind = signaling(a) ? 0 : 1;
    else if (std::isinf(x))
      kind = negative(a) ? 2 : 9;
    else if (x == 0)
      kind = negative(a) ? 5 : 6;
    else if (std::fabs(x) < least_normal)
      kind = negative(a) ? 4 : 7;
    else
      kind = negative(a) ? 3 : 8;
    return (mask >> kind & 1) != 0;
  });
}

GEAK_CASES(comparisons) {
  for (const char* family : {"v_cmp_", "v_cmpx_"}) {
    float_comparisons<Half>("f16", family);
    float_comparisons<float>("f32", family);
    float_comparisons<double>("f64", family);
  }
}

template <class R>
R saturated(double x) {
  if (nan_of(x)) return 0;
  const double low = static_cast<double>(std::numeric_limits<R>::min());
  const double high = static_cast<double>(std::numeric_limits<R>::max());
  return static_cast<R>(static_cast<i64>(std::trunc(std::clamp(x, low, high))));
}

double normalized(double x, double low, double scale) {
  return nan_of(x) ? 0
                   : std::nearbyint(static_cast<double>(static_cast<float>(
                         static_cast<float>(std::clamp(x, low, 1.0)) * static_cast<float>(scale))));
}
u32 pack(double low, double high) {
  return (static_cast<u32>(static_cast<i32>(low)) & 0xffff) |
         static_cast<u32>(static_cast<i32>(high)) << 16;
}

GEAK_CASES(conversions) {
  vector_case("v_cvt_i32_f32", [](float a) { return saturated<i32>(a); });
  vector_case("v_cvt_u32_f32", [](float a) { return saturated<u32>(a); });
  vector_case("v_cvt_i32_f64", [](double a) { return saturated<i32>(a); });
  vector_case("v_cvt_u32_f64", [](double a) { return saturated<u32>(a); });
  vector_case("v_cvt_i16_f16", [](Half a) { return saturated<i16>(static_cast<double>(a)); });
  vector_case("v_cvt_u16_f16", [](Half a) { return saturated<u16>(static_cast<double>(a)); });
  vector_case("v_cvt_f32_i32", [](i32 a) { return static_cast<float>(static_cast<Quad>(a)); });
  vector_case("v_cvt_f32_u32", [](u32 a) { return static_cast<float>(static_cast<Quad>(a)); });
  vector_case("v_cvt_f64_i32", [](i32 a) { return static_cast<double>(a); });
  vector_case("v_cvt_f64_u32", [](u32 a) { return static_cast<double>(a); });
  vector_case("v_cvt_f16_i16", [](i16 a) { return static_cast<Half>(static_cast<Quad>(a)); });
  vector_case("v_cvt_f16_u16", [](u16 a) { return static_cast<Half>(static_cast<Quad>(a)); });
  vector_case("v_cvt_f16_f32", [](float a) { return static_cast<Half>(static_cast<Quad>(a)); });
  vector_case("v_cvt_f32_f16", [](Half a) { return static_cast<float>(static_cast<Quad>(a)); });
  vector_case("v_cvt_f32_f64", [](double a) { return static_cast<float>(static_cast<Quad>(a)); });
  vector_case("v_cvt_f64_f32", [](float a) { return static_cast<double>(static_cast<Quad>(a)); });
  for (unsigned n = 0; n < 4; ++n)
    vector_case("v_cvt_f32_ubyte" + std::to_string(n),
                [n](u32 a) { return static_cast<float>(a / (1u << (8 * n)) % 256); });
  vector_case("v_cvt_flr_i32_f32",
              [](float a) { return saturated<i32>(std::floor(static_cast<double>(a))); });
  vector_case("v_cvt_rpi_i32_f32", [](float a) { return saturated<i32>(std::floor(a + 0.5f)); });
  vector_case("v_cvt_off_f32_i4", [](u32 a) {
    static constexpr float kTable[] = {0,     .0625f,  .125f,  .1875f,  .25f,   .3125f,
                                       .375f, .4375f,  -.5f,   -.4375f, -.375f, -.3125f,
                                       -.25f, -.1875f, -.125f, -.0625f};
    return kTable[a % 16];
  });
  vector_case("v_cvt_pk_u16_u32",
              [](u32 a, u32 b) { return pack(std::min(a, 65535u), std::min(b, 65535u)); });
  vector_case("v_cvt_pk_i16_i32", [](i32 a, i32 b) {
    return pack(std::clamp(a, -32768, 32767), std::clamp(b, -32768, 32767));
  });
  vector_case("v_cvt_pknorm_i16_f32", [](float a, float b) {
    return pack(normalized(a, -1, 32767), normalized(b, -1, 32767));
  });
  vector_case("v_cvt_pknorm_u16_f32", [](float a, float b) {
    return pack(normalized(a, 0, 65535), normalized(b, 0, 65535));
  });
  vector_case("v_cvt_pknorm_i16_f16", [](Half a, Half b) {
    return pack(normalized(static_cast<double>(a), -1, 32767),
                normalized(static_cast<double>(b), -1, 32767));
  });
  vector_case("v_cvt_pknorm_u16_f16", [](Half a, Half b) {
    return pack(normalized(static_cast<double>(a), 0, 65535),
                normalized(static_cast<double>(b), 0, 65535));
  });
  vector_case("v_cvt_norm_i16_f16", [](Half a) {
    return static_cast<i16>(normalized(static_cast<double>(a), -1, 32767));
  });
  vector_case("v_cvt_norm_u16_f16", [](Half a) {
    return static_cast<u16>(normalized(static_cast<double>(a), 0, 65535));
  });
  vector_case("v_cvt_pk_u8_f32", [](float a, u32 b, u32 c) {
    const u32 byte = static_cast<u32>(nan_of(a) ? 0 : std::trunc(std::clamp(a, 0.0f, 255.0f)));
    const u32 shift = b % 4 * 8;
    return (c & ~(255u << shift)) | byte << shift;
  });
  vector_case("v_cvt_pkrtz_f16_f32", [](float a, float b) {
    auto toward_zero = [](float x) -> u32 {
      const u32 sign = static_cast<u32>(to_bits(x) >> 16 & 0x8000);
      if (nan_of(x)) return sign | 0x7e00 | (to_bits(x) >> 13 & 0x1ff);
      const double magnitude = std::fabs(static_cast<double>(x));
      if (std::isinf(x)) return sign | 0x7c00;
      if (magnitude >= 65504) return sign | 0x7bff;
      int exponent;
      std::frexp(magnitude, &exponent);
      const int unit = std::max(exponent - 11, -24);  // the half's last place
      const double units = std::trunc(std::ldexp(magnitude, -unit));
      return sign | static_cast<u32>(to_bits(static_cast<Half>(std::ldexp(units, unit))));
    };
    return toward_zero(a) | toward_zero(b) << 16;
  });
}

GEAK_CASES(transcendentals) {
  auto bounded = [](VectorCase& test, double ulps) { test.ulps = ulps; };
  bounded(vector_case("v_rcp_f32",
                      [](float a) { return static_cast<float>(1 / static_cast<Quad>(a)); }),
          1);
  bounded(vector_case("v_rcp_iflag_f32",
                      [](float a) { return static_cast<float>(1 / static_cast<Quad>(a)); }),
          1);
  bounded(vector_case("v_rsq_f32",
                      [](float a) {
                        return static_cast<float>(1 / std::sqrt(static_cast<long double>(a)));
                      }),
          1);
  bounded(vector_case(
              "v_sqrt_f32",
              [](float a) { return static_cast<float>(std::sqrt(static_cast<long double>(a))); }),
          1);
  for (const char* name : {"v_exp_f32", "v_exp_legacy_f32"})
    bounded(vector_case(
                name,
                [](float a) { return static_cast<float>(std::exp2(static_cast<long double>(a))); }),
            1);
  for (const char* name : {"v_log_f32", "v_log_legacy_f32"})
    bounded(vector_case(
                name,
                [](float a) { return static_cast<float>(std::log2(static_cast<long double>(a))); }),
            1);
  auto turns = [](double x, bool cosine) -> double {
    if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
    if (std::fabs(x) > 256) return cosine ? 1.0 : std::copysign(0.0, x);
    const long double r = static_cast<long double>(x) - std::nearbyint(static_cast<long double>(x));
    if (!cosine)
      return r == 0 ? std::copysign(0.0, x)
             : r == 0.5L || r == -0.5L
                 ? 0.0
                 : static_cast<double>(std::sin(r * 2 * 3.14159265358979323846264L));
    return std::fabs(r) == 0.25L
               ? 0.0
               : static_cast<double>(std::cos(r * 2 * 3.14159265358979323846264L));
  };
  vector_case("v_sin_f32", [turns](float a) { return static_cast<float>(turns(a, false)); }).ulps =
      1;
  vector_case("v_cos_f32", [turns](float a) { return static_cast<float>(turns(a, true)); }).ulps =
      1;
  vector_case("v_sin_f16", [turns](Half a) {
    return static_cast<Half>(turns(static_cast<double>(a), false));
  }).ulps = 1;
  vector_case("v_cos_f16", [turns](Half a) {
    return static_cast<Half>(turns(static_cast<double>(a), true));
  }).ulps = 1;
  bounded(vector_case("v_rcp_f64",
                      [](double a) { return static_cast<double>(1 / static_cast<Quad>(a)); }),
          1);
  bounded(vector_case(
              "v_sqrt_f64",
              [](double a) { return static_cast<double>(std::sqrt(static_cast<long double>(a))); }),
          1);
  bounded(vector_case("v_rsq_f64",
                      [](double a) {
                        return static_cast<double>(1 / std::sqrt(static_cast<long double>(a)));
                      }),
          2);
  bounded(
      vector_case("v_rcp_f16", [](Half a) { return static_cast<Half>(1 / static_cast<Quad>(a)); }),
      1);
  bounded(vector_case("v_sqrt_f16",
                      [](Half a) { return static_cast<Half>(std::sqrt(static_cast<double>(a))); }),
          1);
  bounded(
      vector_case("v_rsq_f16",
                  [](Half a) { return static_cast<Half>(1 / std::sqrt(static_cast<double>(a))); }),
      1);
  bounded(vector_case("v_exp_f16",
                      [](Half a) { return static_cast<Half>(std::exp2(static_cast<double>(a))); }),
          1);
  bounded(vector_case("v_log_f16",
                      [](Half a) { return static_cast<Half>(std::log2(static_cast<double>(a))); }),
          1);
}

template <class T, class F>
auto halves(F f) {
  return [f](u32 a, u32 b) {
    const u32 low = static_cast<u32>(to_bits(f(from_bits<T>(a), from_bits<T>(b))));
    const u32 high = static_cast<u32>(to_bits(f(from_bits<T>(a >> 16), from_bits<T>(b >> 16))));
    return low | high << 16;
  };
}

template <class T, class F>
auto halves3(F f) {
  return [f](u32 a, u32 b, u32 c) {
    const u32 low = static_cast<u32>(to_bits(f(from_bits<T>(a), from_bits<T>(b), from_bits<T>(c))));
    const u32 high = static_cast<u32>(
        to_bits(f(from_bits<T>(a >> 16), from_bits<T>(b >> 16), from_bits<T>(c >> 16))));
    return low | high << 16;
  };
}
template <class F>
auto singles(F f) {
  return [f](u64 a, u64 b) {
    return to_bits(f(from_bits<float>(a), from_bits<float>(b))) |
           to_bits(f(from_bits<float>(a >> 32), from_bits<float>(b >> 32))) << 32;
  };
}

GEAK_CASES(packed) {
  vector_case("v_pk_min_f16", halves<Half>([](Half a, Half b) { return least(a, b); })).packed_nan =
      Type::f16;
  vector_case("v_pk_max_f16", halves<Half>([](Half a, Half b) { return most(a, b); })).packed_nan =
      Type::f16;
  vector_case("v_pk_add_f16", halves<Half>([](Half a, Half b) { return sum(a, b); })).packed_nan =
      Type::f16;
  vector_case("v_pk_mul_f16", halves<Half>([](Half a, Half b) { return product(a, b); }))
      .packed_nan = Type::f16;
  vector_case("v_pk_fma_f16", halves3<Half>([](Half a, Half b, Half c) { return fused(a, b, c); }))
      .packed_nan = Type::f16;
  VectorCase& fmac = vector_case(
      "v_pk_fmac_f16", halves3<Half>([](Half a, Half b, Half c) { return fused(a, b, c); }));
  fmac.packed_nan = Type::f16;
  fmac.accumulates = true;
  vector_case("v_pk_add_f32", singles([](float a, float b) { return sum(a, b); })).packed_nan =
      Type::f32;
  vector_case("v_pk_mul_f32", singles([](float a, float b) { return product(a, b); })).packed_nan =
      Type::f32;
  vector_case("v_pk_fma_f32", [](u64 a, u64 b, u64 c) {
    auto one = [&](unsigned s) {
      return to_bits(
          fused(from_bits<float>(a >> s), from_bits<float>(b >> s), from_bits<float>(c >> s)));
    };
    return one(0) | one(32) << 32;
  }).packed_nan = Type::f32;
  vector_case("v_fma_mix_f32", [](Half a, float b, Half c) {
    return fused(static_cast<float>(a), b, static_cast<float>(c));
  }).suffix = "op_sel_hi:[1,0,1]";
  VectorCase& low = vector_case("v_fma_mixlo_f16", [](float a, float b, float c) {
    return static_cast<Half>(fused(a, b, c));
  });
  low.keeps_high_half = true;
  vector_case("v_dot2_f32_f16", [](u32 a, u32 b, float c) {
    const float first = static_cast<float>(static_cast<Quad>(from_bits<Half>(a)) *
                                               static_cast<Quad>(from_bits<Half>(b)) +
                                           static_cast<Quad>(c));
    return static_cast<float>(static_cast<Quad>(from_bits<Half>(a >> 16)) *
                                  static_cast<Quad>(from_bits<Half>(b >> 16)) +
                              static_cast<Quad>(first));
  });
  VectorCase& dot = vector_case("v_dot2c_f32_f16", [](u32 a, u32 b, float c) {
    const float first = static_cast<float>(static_cast<Quad>(from_bits<Half>(a)) *
                                               static_cast<Quad>(from_bits<Half>(b)) +
                                           static_cast<Quad>(c));
    return static_cast<float>(static_cast<Quad>(from_bits<Half>(a >> 16)) *
                                  static_cast<Quad>(from_bits<Half>(b >> 16)) +
                              static_cast<Quad>(first));
  });
  dot.accumulates = true;
}

// Value of an FNUZ byte: sign, exponent, mantissa; 0x80 is the only NaN.
double fnuz(u32 byte, int mantissa_bits, int bias) {
  if ((byte & 0xff) == 0x80) return std::numeric_limits<double>::quiet_NaN();
  const int exponent = static_cast<int>(byte & 0x7f) >> mantissa_bits;
  const double mantissa = byte & ((1u << mantissa_bits) - 1);
  const double scale = std::ldexp(1.0, -mantissa_bits);
  const double magnitude = exponent == 0 ? std::ldexp(mantissa * scale, 1 - bias)
                                         : std::ldexp(1 + mantissa * scale, exponent - bias);
  return byte & 0x80 ? -magnitude : magnitude;
}

// The nearest FNUZ byte by trying all of them; ties to the even byte; beyond the largest: NaN.
u32 nearest_fnuz(float x, int mantissa_bits, int bias) {
  if (nan_of(x) || std::isinf(x)) return 0x80;
  const double largest = fnuz(0x7f, mantissa_bits, bias);
  const double step = largest - fnuz(0x7e, mantissa_bits, bias);
  const double magnitude = std::fabs(static_cast<double>(x));
  if (magnitude >= largest + step / 2) return 0x80;
  u32 best = 0;
  for (u32 byte = 0; byte < 0x80; ++byte) {
    const double d = std::fabs(fnuz(byte, mantissa_bits, bias) - magnitude);
    const double least_so_far = std::fabs(fnuz(best, mantissa_bits, bias) - magnitude);
    if (d < least_so_far || (d == least_so_far && byte % 2 == 0)) best = byte;
  }
  return best == 0 ? 0 : best | (negative(x) ? 0x80 : 0);
}

GEAK_CASES(float8) {
  struct Format {
    const char* name;
    int mantissa_bits, bias;
  };
  for (const Format f : {Format{"fp8", 3, 8}, Format{"bf8", 2, 16}}) {
    const std::string name = f.name;
    vector_case("v_cvt_f32_" + name, [f](u32 a) {
      return static_cast<float>(fnuz(a, f.mantissa_bits, f.bias));
    }).archs = {Arch::gfx942};
    VectorCase& widen = vector_case("v_cvt_pk_f32_" + name, [f](u32 a) {
      return to_bits(static_cast<float>(fnuz(a, f.mantissa_bits, f.bias))) |
             to_bits(static_cast<float>(fnuz(a >> 8, f.mantissa_bits, f.bias))) << 32;
    });
    widen.archs = {Arch::gfx942};
    widen.packed_nan = Type::f32;
    VectorCase& narrow = vector_case("v_cvt_pk_" + name + "_f32", [f](float a, float b) {
      return static_cast<u16>(nearest_fnuz(a, f.mantissa_bits, f.bias) |
                              nearest_fnuz(b, f.mantissa_bits, f.bias) << 8);
    });
    narrow.archs = {Arch::gfx942};
    narrow.keeps_high_half = true;
  }
}

// The face by the largest coordinate, z before y before x.
char major(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (az >= ax && az >= ay) return 'z';
  return ay >= ax ? 'y' : 'x';
}

GEAK_CASES(cube_maps) {
  vector_case("v_cubeid_f32", [](float x, float y, float z) {
    const char m = major(x, y, z);
    return m == 'z'   ? (z < 0 ? 5.0f : 4.0f)
           : m == 'y' ? (y < 0 ? 3.0f : 2.0f)
           : x < 0    ? 1.0f
                      : 0.0f;
  });
  vector_case("v_cubesc_f32", [](float x, float y, float z) {
    const char m = major(x, y, z);
    return m == 'z' ? (z < 0 ? -x : x) : m == 'y' ? x : x < 0 ? z : -z;
  });
  vector_case("v_cubetc_f32", [](float x, float y, float z) {
    return major(x, y, z) == 'y' ? (y < 0 ? -z : z) : -y;
  });
  vector_case("v_cubema_f32", [](float x, float y, float z) {
    const char m = major(x, y, z);
    return 2 * (m == 'z' ? z : m == 'y' ? y : x);
  });
}

GEAK_CASES(divisions) {
  vector_case("v_div_fixup_f32", [](float q, float d, float n) {
    const bool minus = negative(d) != negative(n);
    const double exact = static_cast<double>(n) / static_cast<double>(d);
    // Where the true quotient is special it is the result; else the given one with its sign.
    if (nan_of(n) || nan_of(d) || nan_of(exact)) return std::numeric_limits<float>::quiet_NaN();
    if (d == 0 || n == 0 || std::isinf(d) || std::isinf(n)) return static_cast<float>(exact);
    const auto field = [](float x) { return static_cast<int>(to_bits(x) >> 23 & 0xff); };
    if (field(n) - field(d) < -150) return minus ? -0.0f : 0.0f;
    if (nan_of(q)) q = std::numeric_limits<float>::infinity();
    return std::copysign(q, minus ? -1.0f : 1.0f);
  });
  vector_case("v_div_fixup_f64", [](double q, double d, double n) {
    const bool minus = negative(d) != negative(n);
    const Quad exact = static_cast<Quad>(n) / static_cast<Quad>(d);
    if (nan_of(n) || nan_of(d) || exact != exact) return std::numeric_limits<double>::quiet_NaN();
    if (d == 0 || n == 0 || std::isinf(d) || std::isinf(n)) return static_cast<double>(exact);
    const auto field = [](double x) { return static_cast<int>(to_bits(x) >> 52 & 0x7ff); };
    if (field(n) - field(d) < -1075) return minus ? -0.0 : 0.0;
    if (nan_of(q)) q = std::numeric_limits<double>::infinity();
    return std::copysign(q, minus ? -1.0 : 1.0);
  });
  auto half = [](Half q, Half d, Half n) {
    const bool minus = negative(d) != negative(n);
    const double exact = static_cast<double>(n) / static_cast<double>(d);
    if (nan_of(n) || nan_of(d) || nan_of(exact))
      return static_cast<Half>(std::numeric_limits<double>::quiet_NaN());
    if (d == 0 || n == 0 || std::isinf(exact) || std::isinf(static_cast<double>(d)))
      return static_cast<Half>(exact);
    return from_bits<Half>((to_bits(q) & 0x7fff) | (minus ? 0x8000 : 0));
  };
  vector_case("v_div_fixup_f16", half).keeps_high_half = true;
  vector_case("v_div_fixup_legacy_f16", half);
  // VCC undoes the scaling of v_div_scale: up where the estimate (the addend) is 2 or more.
  vector_case("v_div_fmas_f32", [](float a, float b, float c, bool scaled) {
    const float r = fused(a, b, c);
    const int field = static_cast<int>(to_bits(c) >> 23 & 0xff);
    return scaled ? std::ldexp(r, field > 127 ? 64 : -64) : r;
  }).implied_mask = true;
  vector_case("v_div_fmas_f64", [](double a, double b, double c, bool scaled) {
    const double r = std::fma(a, b, c);
    const int field = static_cast<int>(to_bits(c) >> 52 & 0x7ff);
    return scaled ? std::ldexp(r, field > 1023 ? 128 : -128) : r;
  }).implied_mask = true;
}

}  // namespace
}  // namespace geak::emulator::testing

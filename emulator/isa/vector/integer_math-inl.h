// Integer helpers shared by the vector families; once for each Highway target.
#if defined(GEAK_EMULATOR_ISA_INTEGER_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GEAK_EMULATOR_ISA_INTEGER_MATH_INL_H
#undef GEAK_EMULATOR_ISA_INTEGER_MATH_INL_H
#else
#define GEAK_EMULATOR_ISA_INTEGER_MATH_INL_H
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {

HWY_INLINE constexpr std::uint32_t low24(std::uint32_t x) { return x & 0xffffff; }
HWY_INLINE constexpr std::int32_t signed24(std::uint32_t x) {
  return static_cast<std::int32_t>(x << 8) >> 8;
}
HWY_INLINE constexpr std::int32_t saturate32(std::int64_t x) {
  return x > 0x7fffffff                  ? 0x7fffffff
         : x < -std::int64_t{0x80000000} ? static_cast<std::int32_t>(0x80000000)
                                         : static_cast<std::int32_t>(x);
}
HWY_INLINE constexpr std::uint32_t saturate_u32(std::uint64_t x) {
  return x >> 32 ? ~0u : static_cast<std::uint32_t>(x);
}
template <class T>
HWY_INLINE constexpr T lesser(T a, T b) {
  return a < b ? a : b;
}
template <class T>
HWY_INLINE constexpr T greater(T a, T b) {
  return a > b ? a : b;
}
template <class T>
HWY_INLINE constexpr T median(T a, T b, T c) {
  return greater(lesser(a, b), lesser(greater(a, b), c));
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#endif

// Bit patterns of the floating-point formats. All constexpr or always inlined: nothing here may be
// emitted as a function of its own, since the callers are compiled for several targets.
#pragma once

#include <cstdint>

namespace geak::emulator {

inline constexpr std::uint32_t kSignBit = 0x80000000, kQuietBit = 0x00400000,
                               kInfinity = 0x7f800000, kNaN = 0x7fc00000;
inline constexpr std::uint64_t kSignBit64 = std::uint64_t{1} << 63,
                               kQuietBit64 = std::uint64_t{1} << 51,
                               kInfinity64 = std::uint64_t{0x7ff} << 52;

[[gnu::always_inline]] constexpr std::uint32_t bits_of(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
[[gnu::always_inline]] constexpr std::uint64_t bits_of(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}
[[gnu::always_inline]] constexpr std::uint16_t bits_of(_Float16 x) {
  return __builtin_bit_cast(std::uint16_t, x);
}
[[gnu::always_inline]] constexpr float to_float(std::uint32_t x) {
  return __builtin_bit_cast(float, x);
}
[[gnu::always_inline]] constexpr double to_double(std::uint64_t x) {
  return __builtin_bit_cast(double, x);
}
[[gnu::always_inline]] constexpr _Float16 to_half(std::uint16_t x) {
  return __builtin_bit_cast(_Float16, x);
}

[[gnu::always_inline]] constexpr bool is_nan(float x) { return x != x; }
[[gnu::always_inline]] constexpr bool is_nan(double x) { return x != x; }
[[gnu::always_inline]] constexpr bool is_nan(_Float16 x) { return (bits_of(x) & 0x7fff) > 0x7c00; }
[[gnu::always_inline]] constexpr bool is_signaling(float x) {
  return (bits_of(x) & 0x7fffffff) > kInfinity && (bits_of(x) & kQuietBit) == 0;
}
[[gnu::always_inline]] constexpr bool is_signaling(double x) {
  return (bits_of(x) & ~kSignBit64) > kInfinity64 && (bits_of(x) & kQuietBit64) == 0;
}
[[gnu::always_inline]] constexpr bool is_signaling(_Float16 x) {
  return (bits_of(x) & 0x7fff) > 0x7c00 && (bits_of(x) & 0x200) == 0;
}
[[gnu::always_inline]] constexpr float quiet(float x) { return to_float(bits_of(x) | kQuietBit); }
[[gnu::always_inline]] constexpr double quiet(double x) {
  return to_double(bits_of(x) | kQuietBit64);
}
[[gnu::always_inline]] constexpr _Float16 quiet(_Float16 x) {
  return to_half(static_cast<std::uint16_t>(bits_of(x) | 0x200));
}

// Order as signed integers: -0 before +0; NaNs beyond the infinities.
[[gnu::always_inline]] constexpr std::int32_t ordered(float x) {
  const auto b = static_cast<std::int32_t>(bits_of(x));
  return b < 0 ? static_cast<std::int32_t>(~static_cast<std::uint32_t>(b) | kSignBit) : b;
}
[[gnu::always_inline]] constexpr std::int64_t ordered(double x) {
  const auto b = static_cast<std::int64_t>(bits_of(x));
  return b < 0 ? static_cast<std::int64_t>(~static_cast<std::uint64_t>(b) | kSignBit64) : b;
}
[[gnu::always_inline]] constexpr std::int16_t ordered(_Float16 x) {
  const auto b = static_cast<std::int16_t>(bits_of(x));
  return b < 0 ? static_cast<std::int16_t>(~bits_of(x) | 0x8000) : b;
}

}  // namespace geak::emulator

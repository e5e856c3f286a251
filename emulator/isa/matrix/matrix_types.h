// Element types of matrix operands: bits, elements a lane holds, conversion to the accumulator.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/isa/instruction.h"
#include "emulator/model/device.h"

namespace geak::emulator {

struct Single {
  using Accumulated = float;
  static constexpr unsigned kBits = 32, kPerLane = 1;
  [[gnu::always_inline]] static float convert(std::uint32_t bits) {
    return __builtin_bit_cast(float, bits);
  }
};

// XF32: the mantissa rounded to 10 bits, to nearest even.
struct Xf32 {
  using Accumulated = float;
  static constexpr unsigned kBits = 32, kPerLane = 2;
  [[gnu::always_inline]] static float convert(std::uint32_t bits) {
    const bool special = (bits & 0x7f800000) == 0x7f800000;
    const std::uint32_t rounded = (bits + 0xfff + (bits >> 13 & 1)) & ~std::uint32_t{0x1fff};
    return __builtin_bit_cast(float, special ? bits : rounded);
  }
};

template <unsigned per_lane>
struct HalfType {
  using Accumulated = float;
  static constexpr unsigned kBits = 16, kPerLane = per_lane;
  [[gnu::always_inline]] static float convert(std::uint32_t bits) {
    return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<std::uint16_t>(bits)));
  }
};

template <unsigned per_lane>
struct BrainFloat {
  using Accumulated = float;
  static constexpr unsigned kBits = 16, kPerLane = per_lane;
  [[gnu::always_inline]] static float convert(std::uint32_t bits) {
    return __builtin_bit_cast(float, bits << 16);
  }
};

template <unsigned per_lane>
struct Int8 {
  using Accumulated = std::int32_t;
  static constexpr unsigned kBits = 8, kPerLane = per_lane;
  [[gnu::always_inline]] static std::int32_t convert(std::uint32_t bits) {
    return static_cast<std::int8_t>(bits);
  }
};

// The 8-bit formats of gfx942 without infinities and negative zero (FNUZ): `mantissa` bits, and an
// exponent whose bias is half its range. Only the bit pattern 0x80 is a NaN.
template <unsigned mantissa, unsigned per_lane>
struct Fnuz8 {
  using Accumulated = float;
  static constexpr unsigned kBits = 8, kPerLane = per_lane;
  static constexpr unsigned kBias = mantissa == 3 ? 8 : 16;
  [[gnu::always_inline]] static float convert(std::uint32_t bits) {
    const std::uint32_t sign = (bits & 0x80) << 24, magnitude = bits & 0x7f;
    const std::uint32_t exponent = magnitude >> mantissa;
    // A denormal of the format is an integer times its smallest step.
    const float step = __builtin_bit_cast(float, (127 + 1 - kBias - mantissa) << 23);
    const float small = static_cast<float>(static_cast<std::int32_t>(magnitude)) * step;
    const std::uint32_t normal =
        ((exponent + 127 - kBias) << 23) | (magnitude & ((1u << mantissa) - 1)) << (23 - mantissa);
    const std::uint32_t value = exponent == 0 ? __builtin_bit_cast(std::uint32_t, small) : normal;
    return __builtin_bit_cast(float, (bits & 0xff) == 0x80 ? 0x7fc00000u : sign | value);
  }
};
template <unsigned per_lane>
using Fp8 = Fnuz8<3, per_lane>;
template <unsigned per_lane>
using Bf8 = Fnuz8<2, per_lane>;

// Cycles for which a matrix instruction keeps its SIMD's matrix unit busy. Rates in operations a
// cycle and SIMD follow from the peak rates in the data sheets of MI210 and MI300X: 256 and 512 for
// 16 bits, 256 and 1024 for 8 bits, 256 for XF32, 64 for f32 and f64; no less than 8 cycles.
struct MatrixWork {
  std::uint64_t operations;  // multiplications and additions
  unsigned bits;             // of an element of A
  bool slow_brain_float;     // bf16 with two elements a lane: half rate
  bool xf32;
  unsigned blocks;
};
std::uint32_t matrix_cycles(Arch arch, const MatrixWork& work);

}  // namespace geak::emulator

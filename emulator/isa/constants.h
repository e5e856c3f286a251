// Inline constants and the reading of scalar source operands.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/isa/instruction.h"
#include "emulator/wave/dispatch.h"
#include "emulator/wave/wave.h"

namespace geak::emulator {

// The bit patterns of 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi): operand codes 240 to 248.
inline constexpr std::uint16_t kInlineHalf[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                                0xc000, 0x4400, 0xc400, 0x3118};
inline constexpr std::uint32_t kInlineSingle[] = {0x3f000000, 0xbf000000, 0x3f800000,
                                                  0xbf800000, 0x40000000, 0xc0000000,
                                                  0x40800000, 0xc0800000, 0x3e22f983};
inline constexpr std::uint64_t kInlineDouble[] = {
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

inline constexpr bool is_inline_integer(unsigned code) { return code >= 128 && code <= 208; }
inline constexpr bool is_inline_float(unsigned code) { return code >= 240 && code <= 248; }

// 128..192: 0..64; 193..208: -1..-16.
inline constexpr std::int32_t inline_integer(unsigned code) {
  return code <= 192 ? static_cast<std::int32_t>(code) - 128
                     : 192 - static_cast<std::int32_t>(code);
}

inline constexpr std::uint32_t inline_constant32(unsigned code) {
  if (is_inline_integer(code)) return static_cast<std::uint32_t>(inline_integer(code));
  if (is_inline_float(code)) return kInlineSingle[code - 240];
  switch (code) {
    case 235:
      return kSharedApertureHigh;  // as 64 bits: the aperture's base, see scalar_u64
    case 236:
      return 0xffff;  // limit of the shared aperture's low half
    case 237:
      return kPrivateApertureHigh;
    case 238:
      return 0xffffffff;
    default:
      return 0;
  }
}

// VCCZ, EXECZ, SCC and the literal: what is not a plain entry of Wave::sgpr.
inline std::uint32_t special_scalar(const Wave& wave, const Instruction& i, unsigned code) {
  switch (code) {
    case 251:
      return wave.vcc() == 0;
    case 252:
      return wave.exec() == 0;
    case 253:
      return wave.scc;
    case kLiteral:
      return i.literal;
    default:
      return wave.sgpr[code];
  }
}

inline std::uint32_t scalar_u32(const Wave& wave, const Instruction& i, unsigned code) {
  return code < 251 ? wave.sgpr[code] : special_scalar(wave, i, code);
}

// A 64-bit integer source: inline integers and literals are sign-extended, inline floats are
// doubles, apertures are the base of their address range.
inline std::uint64_t scalar_u64(const Wave& wave, const Instruction& i, unsigned code) {
  if (code < 128) return wave.scalar64(code);
  if (is_inline_integer(code))
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(inline_integer(code)));
  if (is_inline_float(code)) return kInlineDouble[code - 240];
  if (code == kLiteral)
    return static_cast<std::uint64_t>(
        static_cast<std::int64_t>(static_cast<std::int32_t>(i.literal)));
  if (code == 235 || code == 237) return std::uint64_t{inline_constant32(code)} << 32;
  if (code == 236 || code == 238)
    return std::uint64_t{inline_constant32(code - 1)} << 32 | 0xffffffff;
  return special_scalar(wave, i, code);
}

// A 64-bit floating-point source: a literal is the high half of the double.
inline std::uint64_t scalar_f64(const Wave& wave, const Instruction& i, unsigned code) {
  return code == kLiteral ? std::uint64_t{i.literal} << 32 : scalar_u64(wave, i, code);
}

// A 16-bit source: inline floats are halves.
inline std::uint16_t scalar_u16(const Wave& wave, const Instruction& i, unsigned code) {
  if (is_inline_float(code)) return kInlineHalf[code - 240];
  return static_cast<std::uint16_t>(scalar_u32(wave, i, code));
}

}  // namespace geak::emulator

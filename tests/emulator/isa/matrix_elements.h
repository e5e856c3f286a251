// Elements of matrix operands, for tests of matrix instructions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "emulator/wave/workgroup.h"
#include "tests/emulator/isa/conformance.h"
#include "tests/emulator/isa/edge_values.h"
#include "tests/emulator/isa/machine.h"

namespace geak::emulator::testing {

enum class Element { f32, f16, bf16, i8, fp8, bf8 };

inline unsigned bytes_of(Element e) {
  return e == Element::f32 ? 4 : e == Element::f16 || e == Element::bf16 ? 2 : 1;
}

// -2..2 in each format.
inline u32 encode(Element e, int value) {
  const float x = static_cast<float>(value);
  const u32 sign = value < 0 ? 0x80 : 0, two = std::abs(value) == 2;
  switch (e) {
    case Element::f32:
      return static_cast<u32>(to_bits(x));
    case Element::f16:
      return static_cast<u32>(to_bits(static_cast<Half>(x)));
    case Element::bf16:
      return static_cast<u32>(to_bits(x) >> 16);
    case Element::i8:
      return static_cast<u32>(value) & 0xff;
    case Element::fp8:
      return value == 0 ? 0 : sign | (0x40 + two * 0x08);  // bias 8
    case Element::bf8:
      return value == 0 ? 0 : sign | (0x40 + two * 0x04);  // bias 16
  }
  return 0;
}

inline std::string tuple(unsigned first, unsigned count) {
  const std::string start = std::to_string(first);
  return count == 1 ? "v" + start : "v[" + start + ":" + std::to_string(first + count - 1) + "]";
}

}  // namespace geak::emulator::testing

// The new value of each atomic operation, from the old one and the lane's data.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace geak::emulator {

template <class T>
struct Swap {
  T operator()(T, T data) const { return data; }
};
template <class T>
struct Add {
  T operator()(T old, T data) const { return old + data; }
};
template <class T>
struct Subtract {
  T operator()(T old, T data) const { return old - data; }
};
template <class T>
struct ReverseSubtract {
  T operator()(T old, T data) const { return data - old; }
};
template <class T>
struct Minimum {
  T operator()(T old, T data) const { return std::min(old, data); }
};
template <class T>
struct Maximum {
  T operator()(T old, T data) const { return std::max(old, data); }
};
template <class T>
struct And {
  T operator()(T old, T data) const { return old & data; }
};
template <class T>
struct Or {
  T operator()(T old, T data) const { return old | data; }
};
template <class T>
struct Xor {
  T operator()(T old, T data) const { return old ^ data; }
};
// Wraps to 0 after `data`, and from 0 or beyond `data` to `data`.
template <class T>
struct Increment {
  T operator()(T old, T data) const { return old >= data ? 0 : old + 1; }
};
template <class T>
struct Decrement {
  T operator()(T old, T data) const { return old == 0 || old > data ? data : old - 1; }
};
// IEEE minNum and maxNum: a NaN gives way to a number.
template <class T>
struct FloatMinimum {
  T operator()(T old, T data) const {
    return old == data ? (std::signbit(old) ? old : data) : std::fmin(old, data);
  }
};
template <class T>
struct FloatMaximum {
  T operator()(T old, T data) const {
    return old == data ? (std::signbit(old) ? data : old) : std::fmax(old, data);
  }
};

inline std::uint16_t half_of(std::uint32_t value, unsigned n) {
  return static_cast<std::uint16_t>(value >> 16 * n);
}

// Two halves, each rounded to nearest even.
struct PackedAddF16 {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t data) const {
    std::uint32_t result = 0;
    for (unsigned n = 0; n < 2; ++n) {
      const auto sum =
          static_cast<_Float16>(static_cast<float>(std::bit_cast<_Float16>(half_of(old, n))) +
                                static_cast<float>(std::bit_cast<_Float16>(half_of(data, n))));
      result |= std::uint32_t{std::bit_cast<std::uint16_t>(sum)} << 16 * n;
    }
    return result;
  }
};

inline float from_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}
inline std::uint16_t to_bfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

struct PackedAddBf16 {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t data) const {
    std::uint32_t result = 0;
    for (unsigned n = 0; n < 2; ++n)
      result |=
          std::uint32_t{to_bfloat(from_bfloat(half_of(old, n)) + from_bfloat(half_of(data, n)))}
          << 16 * n;
    return result;
  }
};

}  // namespace geak::emulator

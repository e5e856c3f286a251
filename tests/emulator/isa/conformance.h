// Conformance of single instructions: a case is an instruction and a function that computes, in
// another way than the emulator does, what one lane must become. Cases register themselves, so that
// one test runs them all and docs/isa-coverage.md can list them.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "emulator/model/device.h"

namespace geak::emulator::testing {

using u16 = std::uint16_t;
using i16 = std::int16_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using Half = _Float16;

enum class Type { b16, b32, b64, f16, f32, f64, mask };

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, bool>)
    return Type::mask;
  else if constexpr (std::is_same_v<T, float>)
    return Type::f32;
  else if constexpr (std::is_same_v<T, double>)
    return Type::f64;
  else if constexpr (std::is_same_v<T, Half>)
    return Type::f16;
  else if constexpr (sizeof(T) == 8)
    return Type::b64;
  else if constexpr (sizeof(T) == 2)
    return Type::b16;
  else
    return Type::b32;
}

// A value and a lane's bit of a mask (carry).
template <class T>
struct WithMask {
  T value;
  bool mask;
};

struct Outcome {
  u64 value = 0;
  bool mask = false;
};

struct VectorCase {
  std::string mnemonic;
  std::string suffix;  // appended to the line: "clamp", "op_sel:[1,0,0]"
  std::vector<Type> sources;
  Type result = Type::b32;
  bool writes_mask = false;      // WithMask: a mask besides the value
  bool accumulates = false;      // the last source is the destination's old value
  bool keeps_high_half = false;  // 16-bit result: the upper half stays (else becomes 0)
  bool implied_mask = false;     // the last source is VCC and is not written in the line
  Type packed_nan = Type::b32;  // the result holds several floats of this type: NaNs count as equal
  double ulps = 0;              // allowed distance; 0: bit for bit (any NaN equals any NaN)
  std::vector<Arch> archs;
  u32 mode = 0x3f0;
  std::function<Outcome(const u64* sources)> expected;
};

struct ScalarOutcome {
  u64 value = 0;
  int scc = -1;  // -1: unchanged
};

struct ScalarCase {
  std::string mnemonic;
  unsigned sources = 2;  // 1 or 2; 0: SOPK, with the constant `imm`
  bool wide_result = false, wide_source[2] = {false, false};
  bool has_result = true;
  bool unsigned_constant = false;
  std::function<ScalarOutcome(u64 a, u64 b, bool scc, u64 old)> expected;
};

std::vector<VectorCase>& vector_cases();
std::vector<ScalarCase>& scalar_cases();
// Mnemonics covered by tests that are not tables.
std::vector<std::string>& other_tested();

// Runs one case over edge values, EXEC masks and operand kinds; returns what went wrong, or "".
std::string run_case(const VectorCase& test, Arch arch);
std::string run_case(const ScalarCase& test, Arch arch);

template <class T>
T from_bits(u64 bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits & 1;
  else if constexpr (sizeof(T) == 8)
    return __builtin_bit_cast(T, bits);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, static_cast<u32>(bits));
  else
    return __builtin_bit_cast(T, static_cast<u16>(bits));
}
template <class T>
u64 to_bits(T value) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bit_cast(u64, value);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(u32, value);
  else
    return __builtin_bit_cast(u16, value);
}

template <class R>
struct OutcomeOf {
  static constexpr Type kType = type_of<R>();
  static constexpr bool kMask = false;
  static Outcome make(R r) {
    if constexpr (std::is_same_v<R, bool>)
      return {0, r};
    else
      return {to_bits(r), false};
  }
};
template <class T>
struct OutcomeOf<WithMask<T>> {
  static constexpr Type kType = type_of<T>();
  static constexpr bool kMask = true;
  static Outcome make(WithMask<T> r) { return {to_bits(r.value), r.mask}; }
};

template <class C, class R, class... A, std::size_t... n>
VectorCase make_case(C f, R (C::*)(A...) const, std::index_sequence<n...>) {
  VectorCase test;
  test.sources = {type_of<A>()...};
  test.result = OutcomeOf<R>::kType;
  test.writes_mask = OutcomeOf<R>::kMask;
  test.expected = [f](const u64* s) { return OutcomeOf<R>::make(f(from_bits<A>(s[n])...)); };
  return test;
}
template <class C, class R, class... A>
VectorCase make_case(C f, R (C::*member)(A...) const) {
  return make_case(f, member, std::index_sequence_for<A...>{});
}

// vector_case("v_add_f32", [](float a, float b) { ... }): adjust the result's fields in place.
template <class F>
VectorCase& vector_case(std::string mnemonic, F f) {
  VectorCase test = make_case(f, &F::operator());
  test.mnemonic = std::move(mnemonic);
  test.archs = {Arch::gfx90a, Arch::gfx942};
  vector_cases().push_back(std::move(test));
  return vector_cases().back();
}

// A table of cases, filled before main: GEAK_CASES(name) { vector_case(...); }
#define GEAK_CASES(name)                                           \
  static void name();                                              \
  [[maybe_unused]] static const bool name##_done = (name(), true); \
  static void name()

}  // namespace geak::emulator::testing

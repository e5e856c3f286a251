// Templates that turn a lambda over values into a scalar handler.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emulator/isa/constants.h"
#include "emulator/isa/instruction.h"
#include "emulator/wave/wave.h"

namespace geak::emulator {

template <class T>
T scalar_source(const Wave& wave, const Instruction& i, unsigned n) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(scalar_u64(wave, i, i.src[n]));
  else
    return static_cast<T>(scalar_u32(wave, i, i.src[n]));
}

template <class T>
void set_scalar(Wave& wave, unsigned code, T value) {
  if constexpr (sizeof(T) == 8)
    wave.set_scalar64(code, static_cast<std::uint64_t>(value));
  else
    wave.sgpr[code] = static_cast<std::uint32_t>(value);
}

// What SCC becomes.
enum class Scc { keep, nonzero };

// dst = f(src0). T is the source's type; the result's width follows from f.
template <class T, Scc scc, auto f>
const Instruction* scalar_unary(Wave& wave, const Instruction* i) {
  const auto result = f(scalar_source<T>(wave, *i, 0));
  set_scalar(wave, i->dst, result);
  if constexpr (scc == Scc::nonzero) wave.scc = result != 0;
  return i + 1;
}

template <class T, Scc scc, auto f>
const Instruction* scalar_binary(Wave& wave, const Instruction* i) {
  const auto result = f(scalar_source<T>(wave, *i, 0), scalar_source<T>(wave, *i, 1));
  set_scalar(wave, i->dst, result);
  if constexpr (scc == Scc::nonzero) wave.scc = result != 0;
  return i + 1;
}

// As scalar_binary, for f(a, b, scc) that reads and writes SCC itself.
template <class T, auto f>
const Instruction* scalar_binary_scc(Wave& wave, const Instruction* i) {
  std::uint32_t scc = wave.scc;
  const auto result = f(scalar_source<T>(wave, *i, 0), scalar_source<T>(wave, *i, 1), scc);
  set_scalar(wave, i->dst, result);
  wave.scc = scc;
  return i + 1;
}

template <class T, auto f>
const Instruction* scalar_compare(Wave& wave, const Instruction* i) {
  wave.scc = f(scalar_source<T>(wave, *i, 0), scalar_source<T>(wave, *i, 1));
  return i + 1;
}

// SOPK: the sign-extended 16-bit constant against the destination.
template <class T, auto f>
const Instruction* scalar_compare_constant(Wave& wave, const Instruction* i) {
  const auto constant = std::is_signed_v<T> ? static_cast<T>(i->imm)
                                            : static_cast<T>(static_cast<std::uint16_t>(i->imm));
  wave.scc = f(static_cast<T>(wave.sgpr[i->dst]), constant);
  return i + 1;
}

}  // namespace geak::emulator

// What dense and sparse matrix instructions share: element types, unpacking of operands, the layout
// of accumulators. Included once for each of Highway's targets.
//
// Layouts (AMD's CDNA 3 ISA manual, "Matrix Arithmetic Instructions", and its matrix instruction
// calculator). kp = elements of A or B that a lane holds:
//   A[i][k] of block b: lane i + M * (k / kp), or i + M * b when there are several blocks;
//   B[k][j]: the same with j;
//   D[i][j]: four rows i stand in four registers; the next four rows in the next N lanes, and when
//   all 64 lanes are used, in the next four registers; further blocks follow.
#if defined(GEAK_EMULATOR_ISA_MATRIX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GEAK_EMULATOR_ISA_MATRIX_INL_H
#undef GEAK_EMULATOR_ISA_MATRIX_INL_H
#else
#define GEAK_EMULATOR_ISA_MATRIX_INL_H
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulator/isa/constants.h"
#include "emulator/isa/instruction.h"
#include "emulator/isa/matrix/matrix_types.h"
#include "emulator/isa/operation.h"
#include "emulator/wave/workgroup.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One converted element of each lane.
template <class T>
struct Converted {
  alignas(64) T lane[kLanes];
};

// Element e of every lane, converted to the type of the accumulator.
template <class Type, class T>
HWY_INLINE void unpack(const Lanes* rows, Converted<T>* out) {
  constexpr unsigned per_dword = 32 / Type::kBits;
  for (unsigned e = 0; e < Type::kPerLane; ++e) {
    const std::uint32_t* HWY_RESTRICT row = rows[e / per_dword];
    const unsigned shift = e % per_dword * Type::kBits;
    T* HWY_RESTRICT to = out[e].lane;
    for (unsigned lane = 0; lane < kLanes; ++lane) to[lane] = Type::convert(row[lane] >> shift);
  }
}

// BLGP: which lanes feed the columns of B.
HWY_INLINE unsigned permuted_lane(unsigned pattern, unsigned lane) {
  switch (pattern) {
    case 1:
      return lane % 32;
    case 2:
      return 32 + lane % 32;
    case 3:
      return (lane + 16) % 64;
    case 4:
    case 5:
    case 6:
    case 7:
      return lane % 16 + (pattern - 4) * 16;
    default:
      return lane;
  }
}

template <unsigned count, class T>
HWY_INLINE void permute_lanes(unsigned pattern, Converted<T>* values) {
  if (pattern == 0) return;
  for (unsigned e = 0; e < count; ++e) {
    const Converted<T> from = values[e];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[e].lane[lane] = from.lane[permuted_lane(pattern, lane)];
  }
}

// An accumulator in registers of 32 bits.
template <class T, unsigned registers>
struct Accumulator {
  alignas(64) T row[registers][kLanes];

  HWY_INLINE void load(const Wave& w, const Instruction* i, std::uint16_t code) {
    if (is_vector_operand(code)) {
      std::memcpy(row, &w.row(code), sizeof row);
      return;
    }
    const auto value = std::bit_cast<T>(scalar_u32(w, *i, code));
    for (auto& each : row) {
      for (T& lane : each) lane = value;
    }
  }
  HWY_INLINE void store(const Wave& w, std::uint16_t code) const {
    std::memcpy(&w.row(code), row, sizeof row);
  }
};

template <class D, class V>
HWY_INLINE V multiply_add(D, V a, V b, V c) {
  if constexpr (std::is_floating_point_v<hn::TFromD<D>>)
    return hn::MulAdd(a, b, c);
  else
    return hn::Add(hn::Mul(a, b), c);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#endif

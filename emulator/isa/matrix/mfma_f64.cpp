// Matrix multiply-accumulate in double precision, whose layouts are its own. EXEC is ignored.
//   16x16x4: A[i][k] in lane i + 16 k, D[i][j] in lane j + 16 (i % 4), register pair i / 4
//   4x4x4, 4 blocks: A[i][k] in lane i + 4 b + 16 k, D[i][j] in lane j + 4 b + 16 i
#include <cmath>
#include <cstring>

#include "emulator/isa/constants.h"
#include "emulator/isa/matrix/matrix_types.h"
#include "emulator/isa/operation.h"
#include "emulator/isa/program.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {
namespace {

constexpr auto kClass = InstructionClass::matrix;

// `pairs` register pairs of doubles, one a lane.
template <unsigned pairs>
struct Doubles {
  double of[pairs][kLanes];

  // Bits of BLGP negate A, B and C.
  void load(const Wave& w, const Instruction* i, unsigned n) {
    const bool negated = i->control >> (8 + n) & 1;
    if (!is_vector_operand(i->src[n])) {
      const double value = std::bit_cast<double>(scalar_f64(w, *i, i->src[n]));
      for (auto& pair : of) {
        for (double& lane : pair) lane = negated ? -value : value;
      }
      return;
    }
    const Lanes* rows = &w.row(i->src[n]);
    for (unsigned p = 0; p < pairs; ++p) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const double value =
            std::bit_cast<double>(rows[2 * p][lane] | std::uint64_t{rows[2 * p + 1][lane]} << 32);
        of[p][lane] = negated ? -value : value;
      }
    }
  }
  void store(const Wave& w, const Instruction* i) const {
    Lanes* rows = &w.row(i->dst);
    for (unsigned p = 0; p < pairs; ++p) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const auto bits = std::bit_cast<std::uint64_t>(of[p][lane]);
        rows[2 * p][lane] = static_cast<std::uint32_t>(bits);
        rows[2 * p + 1][lane] = static_cast<std::uint32_t>(bits >> 32);
      }
    }
  }
};

void count(Wave& w, std::uint64_t operations, unsigned blocks) {
  w.workgroup->memory->counters.matrix_cycles +=
      matrix_cycles(w.program->arch(), {operations, 64, false, false, blocks});
}

const Instruction* f64_16x16x4(Wave& w, const Instruction* i) {
  Doubles<1> a, b;
  Doubles<4> d;
  a.load(w, i, 0);
  b.load(w, i, 1);
  d.load(w, i, 2);
  for (unsigned row = 0; row < 16; ++row) {
    double* sums = d.of[row / 4] + 16 * (row % 4);
    for (unsigned k = 0; k < 4; ++k) {
      const double left = a.of[0][row + 16 * k];
      for (unsigned j = 0; j < 16; ++j) sums[j] = std::fma(left, b.of[0][j + 16 * k], sums[j]);
    }
  }
  d.store(w, i);
  count(w, 2 * 16 * 16 * 4, 1);
  return i + 1;
}

const Instruction* f64_4x4x4(Wave& w, const Instruction* i) {
  Doubles<1> a, b, d;
  a.load(w, i, 0);
  b.load(w, i, 1);
  d.load(w, i, 2);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned column = lane % 16, block = lane / 4 % 4, row = lane / 16;
    for (unsigned k = 0; k < 4; ++k)
      d.of[0][lane] =
          std::fma(a.of[0][row + 4 * block + 16 * k], b.of[0][column + 16 * k], d.of[0][lane]);
  }
  d.store(w, i);
  count(w, 2 * 4 * 4 * 4 * 4, 4);
  return i + 1;
}

}  // namespace

void register_matrix_f64(OperationTable& t) {
  constexpr const char* kNote = "one rounding a product and sum, k ascending";
  for (const char* name : {"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64"})
    t.add(name, kClass, f64_16x16x4, Fidelity::approximate, kNote);
  for (const char* name : {"v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64"})
    t.add(name, kClass, f64_4x4x4, Fidelity::approximate, kNote);
}

}  // namespace geak::emulator

// Dense matrix instructions against a product computed element by element. The operands are small
// integers, so that every order of the additions gives the same result. Layouts: AMD's ISA manuals,
// "Matrix fused-multiply-add".
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "tests/emulator/isa/matrix_elements.h"

namespace geak::emulator::testing {
namespace {

struct Shape {
  const char* gfx90a;  // mnemonic there, "" if none
  const char* gfx942;
  Element a, b;
  unsigned size, k, blocks;  // size x size x k, blocks of them
};

const Shape kShapes[] = {
    {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", Element::f32, Element::f32, 32, 1, 2},
    {"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", Element::f32, Element::f32, 16, 1, 4},
    {"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", Element::f32, Element::f32, 4, 1, 16},
    {"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32", Element::f32, Element::f32, 32, 2, 1},
    {"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32", Element::f32, Element::f32, 16, 4, 1},
    {"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16", Element::f16, Element::f16, 32, 4, 2},
    {"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16", Element::f16, Element::f16, 16, 4, 4},
    {"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16", Element::f16, Element::f16, 4, 4, 16},
    {"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16", Element::f16, Element::f16, 32, 8, 1},
    {"v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16", Element::f16, Element::f16, 16, 16, 1},
    {"v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16", Element::bf16, Element::bf16, 32, 4,
     2},
    {"v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16", Element::bf16, Element::bf16, 16, 4,
     4},
    {"v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16", Element::bf16, Element::bf16, 4, 4,
     16},
    {"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16", Element::bf16, Element::bf16, 32, 8,
     1},
    {"v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16", Element::bf16, Element::bf16, 16, 16,
     1},
    {"v_mfma_f32_32x32x2bf16", "", Element::bf16, Element::bf16, 32, 2, 2},
    {"v_mfma_f32_16x16x2bf16", "", Element::bf16, Element::bf16, 16, 2, 4},
    {"v_mfma_f32_4x4x2bf16", "", Element::bf16, Element::bf16, 4, 2, 16},
    {"v_mfma_f32_32x32x4bf16", "", Element::bf16, Element::bf16, 32, 4, 1},
    {"v_mfma_f32_16x16x8bf16", "", Element::bf16, Element::bf16, 16, 8, 1},
    {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8", Element::i8, Element::i8, 32, 4, 2},
    {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8", Element::i8, Element::i8, 16, 4, 4},
    {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8", Element::i8, Element::i8, 4, 4, 16},
    {"v_mfma_i32_32x32x8i8", "", Element::i8, Element::i8, 32, 8, 1},
    {"v_mfma_i32_16x16x16i8", "", Element::i8, Element::i8, 16, 16, 1},
    {"", "v_mfma_i32_32x32x16_i8", Element::i8, Element::i8, 32, 16, 1},
    {"", "v_mfma_i32_16x16x32_i8", Element::i8, Element::i8, 16, 32, 1},
    {"", "v_mfma_f32_32x32x4_xf32", Element::f32, Element::f32, 32, 4, 1},
    {"", "v_mfma_f32_16x16x8_xf32", Element::f32, Element::f32, 16, 8, 1},
    {"", "v_mfma_f32_16x16x32_bf8_bf8", Element::bf8, Element::bf8, 16, 32, 1},
    {"", "v_mfma_f32_16x16x32_bf8_fp8", Element::bf8, Element::fp8, 16, 32, 1},
    {"", "v_mfma_f32_16x16x32_fp8_bf8", Element::fp8, Element::bf8, 16, 32, 1},
    {"", "v_mfma_f32_16x16x32_fp8_fp8", Element::fp8, Element::fp8, 16, 32, 1},
    {"", "v_mfma_f32_32x32x16_bf8_bf8", Element::bf8, Element::bf8, 32, 16, 1},
    {"", "v_mfma_f32_32x32x16_bf8_fp8", Element::bf8, Element::fp8, 32, 16, 1},
    {"", "v_mfma_f32_32x32x16_fp8_bf8", Element::fp8, Element::bf8, 32, 16, 1},
    {"", "v_mfma_f32_32x32x16_fp8_fp8", Element::fp8, Element::fp8, 32, 16, 1}};

// One operand, as value[block][row or column][k], written to registers from `first` on. A lane
// holds k/(64/size/blocks) consecutive k of one row; groups of `size` lanes go on with k, or with
// the block.
struct Operand {
  int value[16][32][32];

  void fill(Machine& m, unsigned first, const Shape& s, Element e, Random& random) {
    const unsigned groups = kLanes / s.size, in_lane = s.k * s.blocks / groups;
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned group = l / s.size;
      std::byte packed[16] = {};
      for (unsigned j = 0; j < in_lane; ++j) {
        const int x = static_cast<int>(random.next() % 5) - 2;
        const unsigned block = s.blocks == 1 ? 0 : group,
                       k = s.blocks == 1 ? group * in_lane + j : j;
        value[block][l % s.size][k] = x;
        const u32 bits = encode(e, x);
        std::memcpy(packed + j * bytes_of(e), &bits, bytes_of(e));
      }
      for (unsigned n = 0; n < 4; ++n) std::memcpy(&m.v(first + n)[l], packed + 4 * n, 4);
    }
  }
};

void check(const std::string& name, const Shape& s, Arch arch) {
  const unsigned results = s.size * s.size * s.blocks / kLanes;
  const unsigned groups = kLanes / s.size, in_lane = s.k * s.blocks / groups;
  auto dwords = [&](Element e) { return std::max(1u, in_lane * bytes_of(e) / 4); };
  Machine m;
  ASSERT_TRUE(m.load(arch, name + " " + tuple(64, results) + ", " + tuple(0, dwords(s.a)) + ", " +
                               tuple(8, dwords(s.b)) + ", " + tuple(32, results)))
      << m.error();
  MemoryMeter meter;  // matrix instructions count into their workgroup
  Workgroup group;
  group.memory = &meter;
  m.wave().workgroup = &group;
  const bool integer = s.a == Element::i8;
  Random random(s.size * 100 + s.k);
  auto a = std::make_unique<Operand>(), b = std::make_unique<Operand>();
  a->fill(m, 0, s, s.a, random);
  b->fill(m, 8, s, s.b, random);
  auto bits = [&](int x) {
    return integer ? static_cast<u32>(x) : static_cast<u32>(to_bits(static_cast<float>(x)));
  };
  for (unsigned r = 0; r < results; ++r)
    for (unsigned l = 0; l < kLanes; ++l) m.v(32 + r)[l] = bits(static_cast<int>(r + l));
  m.run();
  ASSERT_EQ(m.wave().state, WaveState::ended) << m.wave().fault_message;
  const unsigned in_block = s.size == 4 ? 4 : s.size * s.size / kLanes;
  for (unsigned r = 0; r < results; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned block = s.size == 4 ? l / 4 : r / in_block, n = r % in_block;
      const unsigned row = s.size == 4 ? n : n / 4 * (4 * groups) + 4 * (l / s.size) + n % 4;
      int sum = static_cast<int>(r + l);
      for (unsigned k = 0; k < s.k; ++k)
        sum += a->value[block][row][k] * b->value[block][l % s.size][k];
      ASSERT_EQ(m.v(64 + r)[l], bits(sum)) << name << " register " << r << " lane " << l;
    }
  }
}

TEST(Matrix, DenseProducts) {
  for (const Shape& shape : kShapes) {
    if (*shape.gfx90a) check(shape.gfx90a, shape, Arch::gfx90a);
    if (*shape.gfx942) check(shape.gfx942, shape, Arch::gfx942);
  }
}

}  // namespace
}  // namespace geak::emulator::testing

// Sparse and double-precision matrix instructions against products computed element by element from
// small integers. Layouts: AMD's CDNA 2 and 3 ISA manuals.
#include <gtest/gtest.h>

#include "tests/emulator/isa/matrix_elements.h"

namespace geak::emulator::testing {
namespace {

struct SparseShape {
  const char* name;
  Element a, b;
  unsigned size, k;
};

const SparseShape kSparse[] = {
    {"v_smfmac_f32_16x16x32_f16", Element::f16, Element::f16, 16, 32},
    {"v_smfmac_f32_32x32x16_f16", Element::f16, Element::f16, 32, 16},
    {"v_smfmac_f32_16x16x32_bf16", Element::bf16, Element::bf16, 16, 32},
    {"v_smfmac_f32_32x32x16_bf16", Element::bf16, Element::bf16, 32, 16},
    {"v_smfmac_i32_16x16x64_i8", Element::i8, Element::i8, 16, 64},
    {"v_smfmac_i32_32x32x32_i8", Element::i8, Element::i8, 32, 32},
    {"v_smfmac_f32_16x16x64_bf8_bf8", Element::bf8, Element::bf8, 16, 64},
    {"v_smfmac_f32_32x32x32_bf8_bf8", Element::bf8, Element::bf8, 32, 32},
    {"v_smfmac_f32_16x16x64_bf8_fp8", Element::bf8, Element::fp8, 16, 64},
    {"v_smfmac_f32_32x32x32_bf8_fp8", Element::bf8, Element::fp8, 32, 32},
    {"v_smfmac_f32_16x16x64_fp8_bf8", Element::fp8, Element::bf8, 16, 64},
    {"v_smfmac_f32_32x32x32_fp8_bf8", Element::fp8, Element::bf8, 32, 32},
    {"v_smfmac_f32_16x16x64_fp8_fp8", Element::fp8, Element::fp8, 16, 64},
    {"v_smfmac_f32_32x32x32_fp8_fp8", Element::fp8, Element::fp8, 32, 32}};

struct Product {
  int a[32][64] = {}, b[64][32] = {};
};

void put(Machine& m, unsigned first, unsigned lane, unsigned element, Element type, int value) {
  const unsigned bits = 8 * bytes_of(type), in_dword = 32 / bits;
  u32& dword = m.v(first + element / in_dword)[lane];
  const unsigned shift = element % in_dword * bits;
  dword &= ~static_cast<u32>(((u64{1} << bits) - 1) << shift);
  dword |= encode(type, value) << shift;
}

int small(Random& random) { return static_cast<int>(random.next() % 5) - 2; }

// A in v0, B in v8, indices in v20, D in v32. A lane holds k / (64 / size) elements of B and half
// as many of A; of each four elements of a row of A the two that the indices name.
void fill(Machine& m, const SparseShape& s, unsigned set, Product& product, Random& random) {
  const unsigned groups = kLanes / s.size, in_lane = s.k / groups, stored = in_lane / 2;
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned first = l / s.size * in_lane;
    u32 indices = static_cast<u32>(random.next());
    for (unsigned e = 0; e < stored; e += 2) {
      const unsigned low = static_cast<unsigned>(random.next() % 3);
      const unsigned high = low + 1 + static_cast<unsigned>(random.next() % (3 - low));
      for (unsigned n = 0; n < 2; ++n) {
        const int value = small(random);
        const unsigned index = n == 0 ? low : high, shift = set * 2 * stored + 2 * (e + n);
        product.a[l % s.size][first + e / 2 * 4 + index] = value;
        put(m, 0, l, e + n, s.a, value);
        indices = (indices & ~(3u << shift)) | index << shift;
      }
    }
    m.v(20)[l] = indices;
    for (unsigned k = 0; k < in_lane; ++k) {
      const int value = small(random);
      product.b[first + k][l % s.size] = value;
      put(m, 8, l, k, s.b, value);
    }
  }
}

void check(const SparseShape& s, unsigned set) {
  const unsigned results = s.size * s.size / kLanes, groups = kLanes / s.size,
                 stored = s.k / groups / 2;
  auto dwords = [&](unsigned count, Element e) { return count * bytes_of(e) / 4; };
  const std::string line =
      std::string(s.name) + " " + tuple(32, results) + ", " + tuple(0, dwords(stored, s.a)) + ", " +
      tuple(8, dwords(2 * stored, s.b)) + ", v20" + (set ? " abid:" + std::to_string(set) : "");
  Machine m;
  ASSERT_TRUE(m.load(Arch::gfx942, line)) << line << m.error();
  MemoryMeter meter;
  Workgroup group;
  group.memory = &meter;
  m.wave().workgroup = &group;
  Random random(s.k + set);
  auto product = std::make_unique<Product>();
  fill(m, s, set, *product, random);
  const bool integer = s.a == Element::i8;
  auto bits = [&](int x) {
    return integer ? static_cast<u32>(x) : static_cast<u32>(to_bits(static_cast<float>(x)));
  };
  for (unsigned r = 0; r < results; ++r)
    for (unsigned l = 0; l < kLanes; ++l) m.v(32 + r)[l] = bits(static_cast<int>(r + l));
  m.run();
  ASSERT_EQ(m.wave().state, WaveState::ended) << m.wave().fault_message;
  for (unsigned r = 0; r < results; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned row = r / 4 * (4 * groups) + 4 * (l / s.size) + r % 4;
      int sum = static_cast<int>(r + l);
      for (unsigned k = 0; k < s.k; ++k) sum += product->a[row][k] * product->b[k][l % s.size];
      ASSERT_EQ(m.v(32 + r)[l], bits(sum)) << line << " register " << r << " lane " << l;
    }
  }
}

TEST(Matrix, SparseProducts) {
  for (const SparseShape& shape : kSparse) {
    // 32 bits hold four sets of indices of 16-bit elements, two of 8-bit ones.
    const unsigned sets = bytes_of(shape.a) == 2 ? 4 : 2;
    for (unsigned set = 0; set < sets; ++set) check(shape, set);
  }
}

double pair_value(Machine& m, unsigned row, unsigned lane) {
  return from_bits<double>(m.v(row)[lane] | u64{m.v(row + 1)[lane]} << 32);
}
void put_pair(Machine& m, unsigned row, unsigned lane, double value) {
  const u64 bits = to_bits(value);
  m.v(row)[lane] = static_cast<u32>(bits);
  m.v(row + 1)[lane] = static_cast<u32>(bits >> 32);
}

// A in v[0:1], B in v[2:3], C and D from v8.
void run_doubles(Machine& m, Arch arch, const std::string& name, unsigned dwords) {
  ASSERT_TRUE(m.load(arch, name + " " + tuple(8, dwords) + ", v[0:1], v[2:3], " + tuple(8, dwords)))
      << m.error();
  MemoryMeter meter;
  Workgroup group;
  group.memory = &meter;
  m.wave().workgroup = &group;
  Random random(73);
  for (unsigned l = 0; l < kLanes; ++l) {
    put_pair(m, 0, l, small(random));
    put_pair(m, 2, l, small(random));
    for (unsigned d = 0; d < dwords; d += 2) put_pair(m, 8 + d, l, 100 + l + 64 * d);
  }
  m.run();
  ASSERT_EQ(m.wave().state, WaveState::ended) << m.wave().fault_message;
}

TEST(Matrix, DoubleProducts16x16x4) {
  for (const auto& [arch, name] : {std::pair(Arch::gfx90a, "v_mfma_f64_16x16x4f64"),
                                   std::pair(Arch::gfx942, "v_mfma_f64_16x16x4_f64")}) {
    Machine m;
    run_doubles(m, arch, name, 8);
    for (unsigned i = 0; i < 16; ++i) {
      for (unsigned j = 0; j < 16; ++j) {
        const unsigned lane = j + 16 * (i % 4), row = 8 + 2 * (i / 4);
        double sum = 100 + lane + 64 * (row - 8);
        for (unsigned k = 0; k < 4; ++k)
          sum += pair_value(m, 0, i + 16 * k) * pair_value(m, 2, j + 16 * k);
        ASSERT_EQ(pair_value(m, row, lane), sum) << name << " " << i << ", " << j;
      }
    }
  }
}

TEST(Matrix, DoubleProductsOfFourBlocks) {
  for (const auto& [arch, name] : {std::pair(Arch::gfx90a, "v_mfma_f64_4x4x4f64"),
                                   std::pair(Arch::gfx942, "v_mfma_f64_4x4x4_4b_f64")}) {
    Machine m;
    run_doubles(m, arch, name, 2);
    for (unsigned block = 0; block < 4; ++block) {
      for (unsigned i = 0; i < 4; ++i) {
        for (unsigned j = 0; j < 4; ++j) {
          const unsigned lane = j + 4 * block + 16 * i;
          double sum = 100 + lane;
          for (unsigned k = 0; k < 4; ++k)
            sum +=
                pair_value(m, 0, i + 4 * block + 16 * k) * pair_value(m, 2, j + 4 * block + 16 * k);
          ASSERT_EQ(pair_value(m, 8, lane), sum) << name << " block " << block;
        }
      }
    }
  }
}

}  // namespace
}  // namespace geak::emulator::testing

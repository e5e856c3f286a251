// Dense matrix multiply-accumulate: D = A * B + C. EXEC is ignored.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/matrix/mfma.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/matrix/matrix-inl.h"
#include "emulator/isa/program.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::matrix;
constexpr const char* kNote =
    "one rounding a product and sum, k ascending; hardware's order and denormals differ";

// `size` rows and columns, `depth` products a sum, `blocks` independent products.
template <class TypeA, class TypeB, unsigned size, unsigned depth, unsigned blocks>
struct Dense {
  using T = typename TypeA::Accumulated;
  static constexpr unsigned kRegisters = size * size * blocks / kLanes;
  static constexpr unsigned kPerLane = TypeA::kPerLane;
  // Groups of four rows that stand side by side in the lanes.
  static constexpr unsigned kGroups = size == 4 ? 1 : kLanes / size;

  // Where the elements [k][0...] of a block begin among the converted ones.
  static HWY_INLINE const T* slice(const Converted<T>* values, unsigned k, unsigned block) {
    return values[k % kPerLane].lane + size * (blocks > 1 ? block : k / kPerLane);
  }

  // Four rows of D.
  static HWY_INLINE void multiply(const Converted<T>* a, unsigned block_of_a, const Converted<T>* b,
                                  unsigned block, unsigned row, Accumulator<T, kRegisters>& d) {
    constexpr hn::CappedTag < T, size<16 ? size : 16> tag;
    constexpr unsigned kStep =
        HWY_MAX_BYTES / sizeof(T) < size
            ? (HWY_MAX_BYTES / sizeof(T) < 16 ? HWY_MAX_BYTES / sizeof(T) : 16)
            : (size < 16 ? size : 16);
    constexpr unsigned kVectors = size / kStep;
    const unsigned group = row / 4;
    const unsigned first_register =
        size == 4 ? 0 : 4 * (group / kGroups) + block * (kRegisters / blocks);
    const unsigned first_lane = size == 4 ? 4 * block : size * (group % kGroups);
    hn::Vec<decltype(tag)> sum[4][kVectors];
    for (unsigned r = 0; r < 4; ++r) {
      for (unsigned v = 0; v < kVectors; ++v)
        sum[r][v] = hn::LoadU(tag, &d.row[first_register + r][first_lane + v * kStep]);
    }
    for (unsigned k = 0; k < depth; ++k) {
      const T* left = slice(a, k, block_of_a) + row;
      const T* right = slice(b, k, block);
      for (unsigned v = 0; v < kVectors; ++v) {
        const auto column = hn::LoadU(tag, right + v * kStep);
        for (unsigned r = 0; r < 4; ++r)
          sum[r][v] = multiply_add(tag, hn::Set(tag, left[r]), column, sum[r][v]);
      }
    }
    for (unsigned r = 0; r < 4; ++r) {
      for (unsigned v = 0; v < kVectors; ++v)
        hn::StoreU(sum[r][v], tag, &d.row[first_register + r][first_lane + v * kStep]);
    }
  }

  static const Instruction* execute(Wave& w, const Instruction* i) {
    Converted<T> a[kPerLane], b[kPerLane];
    Accumulator<T, kRegisters> d;
    unpack<TypeA>(&w.row(i->src[0]), a);
    unpack<TypeB>(&w.row(i->src[1]), b);
    d.load(w, i, i->src[2]);
    permute_lanes<kPerLane>(i->control >> 8 & 7, b);
    // CBSZ, ABID: 2^CBSZ blocks share the block ABID of A.
    const unsigned shared = (1u << (i->control & 7)) - 1, which = i->control >> 4 & shared;
    for (unsigned block = 0; block < blocks; ++block) {
      const unsigned block_of_a = ((block & ~shared) | which) % blocks;
      for (unsigned row = 0; row < size; row += 4) multiply(a, block_of_a, b, block, row, d);
    }
    d.store(w, i->dst);
    w.workgroup->memory->counters.matrix_cycles +=
        matrix_cycles(w.program->arch(),
                      {2ull * size * size * depth * blocks, TypeA::kBits,
                       std::is_same_v<TypeA, BrainFloat<2>>, std::is_same_v<TypeA, Xf32>, blocks});
    return i + 1;
  }
};

template <class Type, unsigned size, unsigned depth, unsigned blocks>
void add(OperationTable& t, const char* gfx90a, const char* gfx942) {
  constexpr bool exact = std::is_same_v<typename Type::Accumulated, std::int32_t>;
  for (const char* name : {gfx90a, gfx942}) {
    if (name)
      t.add(name, kClass, Dense<Type, Type, size, depth, blocks>::execute,
            exact ? Fidelity::exact : Fidelity::approximate, exact ? "" : kNote);
  }
}

template <class A, class B, unsigned size, unsigned depth>
void add_mixed(OperationTable& t, const char* name) {
  t.add(name, kClass, Dense<A, B, size, depth, 1>::execute, Fidelity::approximate, kNote);
}

void register_f32(OperationTable& t) {
  add<Single, 32, 1, 2>(t, "v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32");
  add<Single, 16, 1, 4>(t, "v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32");
  add<Single, 4, 1, 16>(t, "v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32");
  add<Single, 32, 2, 1>(t, "v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32");
  add<Single, 16, 4, 1>(t, "v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32");
  add<Xf32, 16, 8, 1>(t, nullptr, "v_mfma_f32_16x16x8_xf32");
  add<Xf32, 32, 4, 1>(t, nullptr, "v_mfma_f32_32x32x4_xf32");
}

void register_f16(OperationTable& t) {
  add<HalfType<4>, 32, 4, 2>(t, "v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16");
  add<HalfType<4>, 16, 4, 4>(t, "v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16");
  add<HalfType<4>, 4, 4, 16>(t, "v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16");
  add<HalfType<4>, 32, 8, 1>(t, "v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16");
  add<HalfType<4>, 16, 16, 1>(t, "v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16");
}

void register_bf16(OperationTable& t) {
  add<BrainFloat<2>, 32, 2, 2>(t, "v_mfma_f32_32x32x2bf16", nullptr);
  add<BrainFloat<2>, 16, 2, 4>(t, "v_mfma_f32_16x16x2bf16", nullptr);
  add<BrainFloat<2>, 4, 2, 16>(t, "v_mfma_f32_4x4x2bf16", nullptr);
  add<BrainFloat<2>, 32, 4, 1>(t, "v_mfma_f32_32x32x4bf16", nullptr);
  add<BrainFloat<2>, 16, 8, 1>(t, "v_mfma_f32_16x16x8bf16", nullptr);
  add<BrainFloat<4>, 32, 4, 2>(t, "v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16");
  add<BrainFloat<4>, 16, 4, 4>(t, "v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16");
  add<BrainFloat<4>, 4, 4, 16>(t, "v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16");
  add<BrainFloat<4>, 32, 8, 1>(t, "v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16");
  add<BrainFloat<4>, 16, 16, 1>(t, "v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16");
}

void register_8_bits(OperationTable& t) {
  add<Int8<4>, 32, 4, 2>(t, "v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8");
  add<Int8<4>, 16, 4, 4>(t, "v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8");
  add<Int8<4>, 4, 4, 16>(t, "v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8");
  add<Int8<4>, 32, 8, 1>(t, "v_mfma_i32_32x32x8i8", nullptr);
  add<Int8<4>, 16, 16, 1>(t, "v_mfma_i32_16x16x16i8", nullptr);
  add<Int8<8>, 32, 16, 1>(t, nullptr, "v_mfma_i32_32x32x16_i8");
  add<Int8<8>, 16, 32, 1>(t, nullptr, "v_mfma_i32_16x16x32_i8");
  add_mixed<Bf8<8>, Bf8<8>, 16, 32>(t, "v_mfma_f32_16x16x32_bf8_bf8");
  add_mixed<Bf8<8>, Fp8<8>, 16, 32>(t, "v_mfma_f32_16x16x32_bf8_fp8");
  add_mixed<Fp8<8>, Bf8<8>, 16, 32>(t, "v_mfma_f32_16x16x32_fp8_bf8");
  add_mixed<Fp8<8>, Fp8<8>, 16, 32>(t, "v_mfma_f32_16x16x32_fp8_fp8");
  add_mixed<Bf8<8>, Bf8<8>, 32, 16>(t, "v_mfma_f32_32x32x16_bf8_bf8");
  add_mixed<Bf8<8>, Fp8<8>, 32, 16>(t, "v_mfma_f32_32x32x16_bf8_fp8");
  add_mixed<Fp8<8>, Bf8<8>, 32, 16>(t, "v_mfma_f32_32x32x16_fp8_bf8");
  add_mixed<Fp8<8>, Fp8<8>, 32, 16>(t, "v_mfma_f32_32x32x16_fp8_fp8");
}

}  // namespace

void register_mfma(OperationTable& t) {
  register_f32(t);
  register_f16(t);
  register_bf16(t);
  register_8_bits(t);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_mfma);
void register_matrix_dense(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_mfma)(t); }
}  // namespace geak::emulator
#endif

// Sparse matrix multiply-accumulate of gfx942: D += A * B, where of each four elements along a row
// of A two are stored and 2-bit indices say which. EXEC is ignored.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/matrix/smfmac.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/matrix/matrix-inl.h"
#include "emulator/isa/program.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

// TypeA: stored elements of A, TypeB: those of B, twice as many a lane. src[2] holds the indices.
template <class TypeA, class TypeB, unsigned size>
struct Sparse {
  using T = typename TypeA::Accumulated;
  static constexpr unsigned kRegisters = size * size / kLanes;
  static constexpr unsigned kGroups = kLanes / size;  // of lanes: each holds a part of every row
  static constexpr unsigned kStored = TypeA::kPerLane;
  static_assert(TypeB::kPerLane == 2 * kStored);

  static HWY_INLINE void multiply_row(const Converted<T>* a, const Converted<T>* b,
                                      const std::uint32_t* indices, unsigned row, T* d) {
    constexpr hn::CappedTag<T, 16> tag;
    const unsigned step = static_cast<unsigned>(hn::Lanes(tag));
    for (unsigned column = 0; column < size; column += step) {
      auto sum = hn::LoadU(tag, d + column);
      for (unsigned group = 0; group < kGroups; ++group) {
        const unsigned lane = row + size * group;
        for (unsigned e = 0; e < kStored; ++e) {
          const unsigned k = e / 2 * 4 + (indices[lane] >> 2 * e & 3);
          sum = multiply_add(tag, hn::Set(tag, a[e].lane[lane]),
                             hn::LoadU(tag, b[k].lane + size * group + column), sum);
        }
      }
      hn::StoreU(sum, tag, d + column);
    }
  }

  static const Instruction* execute(Wave& w, const Instruction* i) {
    Converted<T> a[kStored], b[2 * kStored];
    Accumulator<T, kRegisters> d;
    unpack<TypeA>(&w.row(i->src[0]), a);
    unpack<TypeB>(&w.row(i->src[1]), b);
    d.load(w, i, i->dst);
    // A register holds several sets of a lane's indices: ABID selects one unless CBSZ is set.
    constexpr unsigned kBits = 2 * kStored, kSets = 32 / kBits;
    const unsigned set = (i->control & 7) == 0 ? (i->control >> 4 & 15) % kSets : 0;
    alignas(64) std::uint32_t indices[kLanes];
    const Lanes& packed = w.row(i->src[2]);
    for (unsigned lane = 0; lane < kLanes; ++lane) indices[lane] = packed[lane] >> set * kBits;
    for (unsigned row = 0; row < size; ++row) {
      const unsigned group = row / 4;
      multiply_row(a, b, indices, row,
                   &d.row[row % 4 + 4 * (group / kGroups)][size * (group % kGroups)]);
    }
    d.store(w, i->dst);
    // As many products are stored as a dense instruction of half the depth computes.
    w.workgroup->memory->counters.matrix_cycles += matrix_cycles(
        w.program->arch(), {2ull * size * size * kStored * kGroups, TypeA::kBits, false, false, 1});
    return i + 1;
  }
};

template <class TypeA, class TypeB>
void add(OperationTable& t, const char* size16, const char* size32) {
  constexpr bool exact = std::is_same_v<typename TypeA::Accumulated, std::int32_t>;
  const auto fidelity = exact ? Fidelity::exact : Fidelity::approximate;
  const char* note = exact ? "" : "one rounding a product and sum; hardware's order differs";
  constexpr auto kClass = InstructionClass::matrix;
  t.add(size16, kClass, Sparse<TypeA, TypeB, 16>::execute, fidelity, note);
  t.add(size32, kClass, Sparse<TypeA, TypeB, 32>::execute, fidelity, note);
}

}  // namespace

void register_smfmac(OperationTable& t) {
  add<HalfType<4>, HalfType<8>>(t, "v_smfmac_f32_16x16x32_f16", "v_smfmac_f32_32x32x16_f16");
  add<BrainFloat<4>, BrainFloat<8>>(t, "v_smfmac_f32_16x16x32_bf16", "v_smfmac_f32_32x32x16_bf16");
  add<Int8<8>, Int8<16>>(t, "v_smfmac_i32_16x16x64_i8", "v_smfmac_i32_32x32x32_i8");
  add<Bf8<8>, Bf8<16>>(t, "v_smfmac_f32_16x16x64_bf8_bf8", "v_smfmac_f32_32x32x32_bf8_bf8");
  add<Bf8<8>, Fp8<16>>(t, "v_smfmac_f32_16x16x64_bf8_fp8", "v_smfmac_f32_32x32x32_bf8_fp8");
  add<Fp8<8>, Bf8<16>>(t, "v_smfmac_f32_16x16x64_fp8_bf8", "v_smfmac_f32_32x32x32_fp8_bf8");
  add<Fp8<8>, Fp8<16>>(t, "v_smfmac_f32_16x16x64_fp8_fp8", "v_smfmac_f32_32x32x32_fp8_fp8");
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_smfmac);
void register_matrix_sparse(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_smfmac)(t); }
}  // namespace geak::emulator
#endif

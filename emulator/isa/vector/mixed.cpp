// Mixed precision: v_fma_mix.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/mixed.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

// A source of v_fma_mix: op_sel_hi says half or single, op_sel which half; VOP3P's neg_hi field is
// the absolute value here.
struct MixSource {
  const u32* row;
  Rows<1> storage;
  u32 shift, sign_clear, sign_flip;
  bool half;

  HWY_INLINE MixSource(const Wave& w, const Instruction* i, unsigned n) {
    const u16 code = i->src[n];
    half = i->op_sel_hi >> n & 1;
    row = storage.lane;
    if (is_vector_operand(code))
      row = w.row(code);
    else
      broadcast(storage.lane,
                half && is_inline_float(code) ? scalar_u16(w, *i, code) : scalar_u32(w, *i, code));
    shift = half && (i->op_sel >> n & 1) ? 16 : 0;
    sign_clear = i->abs >> n & 1 ? ~kSignBit : ~0u;
    sign_flip = i->neg >> n & 1 ? kSignBit : 0;
  }
  HWY_INLINE float operator[](unsigned l) const {
    const u32 dword = row[l] >> shift;
    const u32 widened = bits_of(static_cast<float>(to_half(static_cast<u16>(dword))));
    return to_float(((half ? widened : dword) & sign_clear) ^ sign_flip);
  }
};

enum class MixResult { single, low_half, high_half };

template <MixResult result>
const Instruction* fused_mix(Wave& w, const Instruction* i) {
  const MixSource a(w, i, 0), b(w, i, 1), c(w, i, 2);
  u32* row = w.row(i->dst);
  const bool clamp = i->clamp;
  Rows<1> out;
  GEAK_EACH_LANE(l) {
    float r = __builtin_fmaf(a[l], b[l], c[l]);
    r = !clamp ? r : r > 1.0f ? 1.0f : r > 0.0f ? r : 0.0f;
    const u32 half = bits_of(static_cast<f16>(r));
    out.lane[l] = result == MixResult::single     ? bits_of(r)
                  : result == MixResult::low_half ? half | (row[l] & 0xffff0000)
                                                  : half << 16 | (row[l] & 0xffff);
  }
  blend(row, out.lane, w.exec());
  return i + 1;
}

}  // namespace

void register_mixed(OperationTable& t) {
  t.add("v_fma_mix_f32", kClass, fused_mix<MixResult::single>).f32_mode = true;
  t.add("v_fma_mixlo_f16", kClass, fused_mix<MixResult::low_half>).f32_mode = true;
  t.add("v_fma_mixhi_f16", kClass, fused_mix<MixResult::high_half>).f32_mode = true;
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_mixed);
void register_vector_mixed(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_mixed)(t); }
}  // namespace geak::emulator
#endif

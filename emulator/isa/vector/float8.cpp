// Conversions of the 8-bit floating-point formats of gfx942.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/float8.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

// The 8-bit formats of gfx942 (FNUZ): no infinities, no negative zero, one NaN (0x80).
struct Fp8 {  // 1-4-3, bias 8
  static constexpr int kMantissa = 3, kBias = 8;
};
struct Bf8 {  // 1-5-2, bias 16
  static constexpr int kMantissa = 2, kBias = 16;
};
constexpr u32 kNan8 = 0x80;

template <class F>
float widen(u32 byte) {
  constexpr int kMantissa = F::kMantissa;
  const u32 sign = (byte & 0x80) << 24, exponent = (byte & 0x7f) >> kMantissa;
  const u32 mantissa = byte & ((1u << kMantissa) - 1);
  const u32 normal = (exponent + 127 - F::kBias) << 23 | mantissa << (23 - kMantissa);
  // Denormals: mantissa times 2^(1 - bias - mantissa bits).
  constexpr float kUnit = 1.0f / (1 << (F::kBias - 1 + kMantissa));
  const u32 denormal = bits_of(static_cast<float>(static_cast<i32>(mantissa)) * kUnit);
  const u32 magnitude = exponent != 0 ? normal : denormal;
  return to_float((byte & 0xff) == kNan8 ? kNaN : magnitude | sign);
}

// What is added to the significand below the bits that are kept.
enum class Round { even, random };

// Overflow gives NaN, or the largest number where `saturate`.
template <class F, Round round>
u32 narrow(float x, bool saturate, u32 random) {
  constexpr int kMantissa = F::kMantissa;
  const u32 bits = bits_of(x), sign = bits >> 24 & 0x80;
  const int field = static_cast<int>(bits >> 23 & 0xff);
  const u32 significand = (bits & 0x7fffff) | (field != 0 ? 0x800000 : 0);
  const int exponent = (field != 0 ? field : 1) - 127 + F::kBias;
  // Bits to drop: down to the mantissa, further below the least normal exponent.
  const int extra = exponent < 1 ? 1 - exponent : 0;
  const int drop = 23 - kMantissa + (extra > 8 ? 8 : extra);
  const u32 odd = significand >> drop & 1;
  const u32 increment = round == Round::even ? (1u << (drop - 1)) - 1 + odd : random >> (32 - drop);
  const u32 kept = (significand + increment) >> drop;
  // A carry out of the mantissa moves on into the exponent.
  const u32 magnitude = exponent < 1 ? kept : kept + (static_cast<u32>(exponent - 1) << kMantissa);
  const bool finite = field != 255;
  if (!finite) return saturate && (bits & 0x7fffff) == 0 ? sign | 0x7f : kNan8;
  if (magnitude > 0x7f) return saturate ? sign | 0x7f : kNan8;
  return magnitude == 0 ? 0 : sign | magnitude;
}

constexpr u32 kModeOverflowClamps = 1u << 23;  // MODE.FP16_OVFL

template <class F>
const Instruction* narrow_pair(Wave& w, const Instruction* i) {
  const Source<float> a(w, i, 0), b(w, i, 1);
  const bool saturate = i->clamp || (w.mode & kModeOverflowClamps);
  u32* row = w.row(i->dst);
  const bool high = i->op_sel & 8;
  Rows<1> out;
  GEAK_EACH_LANE(l) {
    const u32 pair =
        narrow<F, Round::even>(a[l], saturate, 0) | narrow<F, Round::even>(b[l], saturate, 0) << 8;
    out.lane[l] = high ? pair << 16 | (row[l] & 0xffff) : pair | (row[l] & 0xffff0000);
  }
  blend(row, out.lane, w.exec());
  return i + 1;
}

// op_sel's upper bits choose the byte that is written.
template <class F>
const Instruction* narrow_random(Wave& w, const Instruction* i) {
  const Source<float> a(w, i, 0);
  const Source<u32> random(w, i, 1);
  const bool saturate = i->clamp || (w.mode & kModeOverflowClamps);
  u32* row = w.row(i->dst);
  const unsigned shift = 8 * (i->op_sel >> 2 & 3);
  Rows<1> out;
  GEAK_EACH_LANE(l) {
    const u32 byte = narrow<F, Round::random>(a[l], saturate, random[l]);
    out.lane[l] = (row[l] & ~(0xffu << shift)) | byte << shift;
  }
  blend(row, out.lane, w.exec());
  return i + 1;
}

u64 pair_of(float low, float high) { return u64{bits_of(low)} | u64{bits_of(high)} << 32; }

}  // namespace

void register_float8(OperationTable& t) {
  t.add("v_cvt_f32_fp8", kClass, lanes<[](u32 a) { return widen<Fp8>(a); }>);
  t.add("v_cvt_f32_bf8", kClass, lanes<[](u32 a) { return widen<Bf8>(a); }>);
  t.add("v_cvt_pk_f32_fp8", kClass,
        lanes<[](u32 a) { return pair_of(widen<Fp8>(a & 0xff), widen<Fp8>(a >> 8 & 0xff)); }>);
  t.add("v_cvt_pk_f32_bf8", kClass,
        lanes<[](u32 a) { return pair_of(widen<Bf8>(a & 0xff), widen<Bf8>(a >> 8 & 0xff)); }>);
  t.add("v_cvt_pk_fp8_f32", kClass, narrow_pair<Fp8>);
  t.add("v_cvt_pk_bf8_f32", kClass, narrow_pair<Bf8>);
  constexpr const char* kNote = "the random bits are added below the kept mantissa, then truncated";
  t.add("v_cvt_sr_fp8_f32", kClass, narrow_random<Fp8>, Fidelity::exact, kNote);
  t.add("v_cvt_sr_bf8_f32", kClass, narrow_random<Bf8>, Fidelity::exact, kNote);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_float8);
void register_vector_float8(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_float8)(t); }
}  // namespace geak::emulator
#endif

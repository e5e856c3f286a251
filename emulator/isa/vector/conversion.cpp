// Conversions between integers and floating point.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/conversion.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

enum class Rounds { none, f32, f64 };  // which of MODE's rounding fields applies

Operation& add(OperationTable& t, const char* name, Rounds rounds, Handler handler) {
  Operation& operation = t.add(name, kClass, handler);
  operation.f32_mode = rounds == Rounds::f32;
  operation.f64_mode = rounds == Rounds::f64;
  return operation;
}

// Floating point to integers truncates; NaN is 0; what is out of range saturates.
template <class F>
i32 to_i32(F x) {
  constexpr F kLimit = static_cast<F>(2147483648.0);
  const F low = x < -kLimit ? -kLimit : x;
  const F inside = low < kLimit ? low : static_cast<F>(0);  // NaN and too large: 0
  const i32 converted = static_cast<i32>(inside);
  return x >= kLimit ? 0x7fffffff : converted;
}

template <class F>
u32 to_u32(F x) {
  constexpr F kLimit = static_cast<F>(4294967296.0);
  const F inside = x > static_cast<F>(0) && x < kLimit ? x : static_cast<F>(0);
  const u32 converted = static_cast<u32>(inside);
  return x >= kLimit ? 0xffffffff : converted;
}

i16 to_i16(float x) {
  const float low = x < -32768.0f ? -32768.0f : x;
  const float inside = low > 32767.0f ? 32767.0f : low;
  return static_cast<i16>(static_cast<i32>(inside == inside ? inside : 0.0f));
}
u16 to_u16(float x) {
  const float inside = x > 65535.0f ? 65535.0f : x > 0.0f ? x : 0.0f;
  return static_cast<u16>(static_cast<i32>(inside));
}
u32 to_u8(float x) {
  return static_cast<u32>(static_cast<i32>(x > 255.0f ? 255.0f : x > 0.0f ? x : 0.0f));
}

// Normalized integers: [-1, 1] or [0, 1] to the full range, to the nearest.
i16 to_snorm(float x) {
  const float inside = x > 1.0f ? 1.0f : x < -1.0f ? -1.0f : x == x ? x : 0.0f;
  return static_cast<i16>(static_cast<i32>(__builtin_roundevenf(inside * 32767.0f)));
}
u16 to_unorm(float x) {
  const float inside = x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f;
  return static_cast<u16>(static_cast<i32>(__builtin_roundevenf(inside * 65535.0f)));
}

u32 pack(u16 low, u16 high) { return u32{low} | u32{high} << 16; }

// Toward zero: round to the nearest, step back if that went away from zero.
u16 half_toward_zero(float x) {
  const f16 nearest = static_cast<f16>(x);
  const float magnitude = to_float(bits_of(x) & 0x7fffffff);
  const float got = to_float(bits_of(static_cast<float>(nearest)) & 0x7fffffff);
  return static_cast<u16>(bits_of(nearest) - (got > magnitude ? 1 : 0));
}

i32 floor_to_i32(float x) { return to_i32(__builtin_floorf(x)); }

void register_integers(OperationTable& t) {
  add(t, "v_cvt_i32_f32", Rounds::none, lanes<[](float a) { return to_i32(a); }>);
  add(t, "v_cvt_u32_f32", Rounds::none, lanes<[](float a) { return to_u32(a); }>);
  add(t, "v_cvt_i32_f64", Rounds::none, lanes<[](double a) { return to_i32(a); }>);
  add(t, "v_cvt_u32_f64", Rounds::none, lanes<[](double a) { return to_u32(a); }>);
  add(t, "v_cvt_i16_f16", Rounds::none, lanes<[](f16 a) { return to_i16(static_cast<float>(a)); }>);
  add(t, "v_cvt_u16_f16", Rounds::none, lanes<[](f16 a) { return to_u16(static_cast<float>(a)); }>);
  add(t, "v_cvt_flr_i32_f32", Rounds::none, lanes<[](float a) { return floor_to_i32(a); }>);
  add(t, "v_cvt_rpi_i32_f32", Rounds::none, lanes<[](float a) { return floor_to_i32(a + 0.5f); }>);
  add(t, "v_cvt_f32_i32", Rounds::f32, lanes<[](i32 a) { return static_cast<float>(a); }>);
  add(t, "v_cvt_f32_u32", Rounds::f32, lanes<[](u32 a) { return static_cast<float>(a); }>);
  add(t, "v_cvt_f64_i32", Rounds::none, lanes<[](i32 a) { return static_cast<double>(a); }>);
  add(t, "v_cvt_f64_u32", Rounds::none, lanes<[](u32 a) { return static_cast<double>(a); }>);
  add(t, "v_cvt_f16_i16", Rounds::f64,
      lanes<[](i16 a) { return static_cast<f16>(static_cast<float>(a)); }>);
  add(t, "v_cvt_f16_u16", Rounds::f64,
      lanes<[](u16 a) { return static_cast<f16>(static_cast<float>(a)); }>);
  add(t, "v_cvt_f32_ubyte0", Rounds::none,
      lanes<[](u32 a) { return static_cast<float>(static_cast<i32>(a & 0xff)); }>);
  add(t, "v_cvt_f32_ubyte1", Rounds::none,
      lanes<[](u32 a) { return static_cast<float>(static_cast<i32>(a >> 8 & 0xff)); }>);
  add(t, "v_cvt_f32_ubyte2", Rounds::none,
      lanes<[](u32 a) { return static_cast<float>(static_cast<i32>(a >> 16 & 0xff)); }>);
  add(t, "v_cvt_f32_ubyte3", Rounds::none,
      lanes<[](u32 a) { return static_cast<float>(static_cast<i32>(a >> 24)); }>);
  // A signed nibble of sixteenths.
  add(t, "v_cvt_off_f32_i4", Rounds::none,
      lanes<[](u32 a) { return static_cast<float>(static_cast<i32>(a << 28) >> 28) * 0.0625f; }>);
}

void register_floats(OperationTable& t) {
  add(t, "v_cvt_f16_f32", Rounds::f64, lanes<[](float a) { return static_cast<f16>(a); }>);
  add(t, "v_cvt_f32_f16", Rounds::f32, lanes<[](f16 a) { return static_cast<float>(a); }>);
  add(t, "v_cvt_f32_f64", Rounds::f32, lanes<[](double a) { return static_cast<float>(a); }>);
  add(t, "v_cvt_f64_f32", Rounds::f32, lanes<[](float a) { return static_cast<double>(a); }>);
  add(t, "v_cvt_pkrtz_f16_f32", Rounds::none,
      lanes<[](float a, float b) { return pack(half_toward_zero(a), half_toward_zero(b)); }>);
}

void register_packs(OperationTable& t) {
  add(t, "v_cvt_pk_u16_u32", Rounds::none, lanes<[](u32 a, u32 b) {
        return pack(static_cast<u16>(a > 0xffff ? 0xffff : a),
                    static_cast<u16>(b > 0xffff ? 0xffff : b));
      }>);
  add(t, "v_cvt_pk_i16_i32", Rounds::none, lanes<[](i32 a, i32 b) {
        const i32 low = a > 32767 ? 32767 : a < -32768 ? -32768 : a;
        const i32 high = b > 32767 ? 32767 : b < -32768 ? -32768 : b;
        return pack(static_cast<u16>(low), static_cast<u16>(high));
      }>);
  add(t, "v_cvt_pknorm_i16_f32", Rounds::none, lanes<[](float a, float b) {
        return pack(static_cast<u16>(to_snorm(a)), static_cast<u16>(to_snorm(b)));
      }>);
  add(t, "v_cvt_pknorm_u16_f32", Rounds::none,
      lanes<[](float a, float b) { return pack(to_unorm(a), to_unorm(b)); }>);
  add(t, "v_cvt_pknorm_i16_f16", Rounds::none, lanes<[](f16 a, f16 b) {
        return pack(static_cast<u16>(to_snorm(static_cast<float>(a))),
                    static_cast<u16>(to_snorm(static_cast<float>(b))));
      }>);
  add(t, "v_cvt_pknorm_u16_f16", Rounds::none, lanes<[](f16 a, f16 b) {
        return pack(to_unorm(static_cast<float>(a)), to_unorm(static_cast<float>(b)));
      }>);
  add(t, "v_cvt_norm_i16_f16", Rounds::none,
      lanes<[](f16 a) { return to_snorm(static_cast<float>(a)); }>);
  add(t, "v_cvt_norm_u16_f16", Rounds::none,
      lanes<[](f16 a) { return to_unorm(static_cast<float>(a)); }>);
  // One byte of src2 (or of the destination) is replaced.
  for (const char* name : {"v_cvt_pk_u8_f32", "v_cvt_pkaccum_u8_f32"})
    add(t, name, Rounds::none, lanes<[](float a, u32 b, u32 c) {
          const u32 shift = 8 * (b & 3);
          return (c & ~(0xffu << shift)) | to_u8(a) << shift;
        }>);
  add(t, "v_sat_pk_u8_i16", Rounds::none, lanes<[](u32 a) {
        const i32 low = static_cast<i16>(a & 0xffff), high = static_cast<i16>(a >> 16);
        const i32 l = low < 0     ? 0
                      : low > 255 ? 255
                                  : low,
                  h = high < 0     ? 0
                      : high > 255 ? 255
                                   : high;
        return static_cast<u16>(l | h << 8);
      }>);
}

}  // namespace

void register_conversion(OperationTable& t) {
  register_integers(t);
  register_floats(t);
  register_packs(t);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_conversion);
void register_vector_conversion(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_conversion)(t); }
}  // namespace geak::emulator
#endif

// Cube map coordinates, and the table of 2/pi for trigonometric reduction.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/cube.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/float_math-inl.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

float magnitude(float x) { return to_float(bits_of(x) & ~kSignBit); }

enum class Axis { x, y, z };
Axis major_axis(float x, float y, float z) {
  const float ax = magnitude(x), ay = magnitude(y), az = magnitude(z);
  return az >= ax && az >= ay ? Axis::z : ay >= ax ? Axis::y : Axis::x;
}

float cube_face(float x, float y, float z) {
  const Axis axis = major_axis(x, y, z);
  const float major = axis == Axis::z ? z : axis == Axis::y ? y : x;
  const float positive = axis == Axis::z ? 4.0f : axis == Axis::y ? 2.0f : 0.0f;
  return major < 0.0f ? positive + 1.0f : positive;
}
float cube_s(float x, float y, float z) {
  const Axis axis = major_axis(x, y, z);
  return axis == Axis::z ? (z < 0.0f ? -x : x) : axis == Axis::y ? x : x < 0.0f ? z : -z;
}
float cube_t(float x, float y, float z) {
  return major_axis(x, y, z) == Axis::y ? (y < 0.0f ? -z : z) : -y;
}
float cube_major(float x, float y, float z) {
  const Axis axis = major_axis(x, y, z);
  return (axis == Axis::z ? z : axis == Axis::y ? y : x) * 2.0f;
}

// The first 1216 bits of the fraction of 2/pi, most significant first.
constexpr u64 kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

// 53 bits of 2/pi from bit `shift` of the fraction on (bit 0 the most significant).
u64 two_over_pi_bits(u32 shift) {
  u64 result = 0;
  for (u32 bit = shift; bit < shift + 53; ++bit) {
    const bool inside = bit < 1201;  // the hardware's table ends there
    result = result << 1 | (inside ? kTwoOverPi[bit / 64] >> (63 - bit % 64) & 1 : 0);
  }
  return result;
}

// A segment of 2/pi for the reduction of a large angle: src1 chooses the segment, the angle's
// exponent how far it is shifted.
double segment_of_two_over_pi(double angle, u32 segment) {
  const int exponent = exponent_field(angle);
  int shift = static_cast<int>(segment & 31) * 53;
  if (exponent > 1077) shift += exponent - 1077;
  int scale = -53 - shift;
  if (exponent >= 1968) scale += 128;
  return __builtin_ldexp(static_cast<double>(two_over_pi_bits(static_cast<u32>(shift))), scale);
}

}  // namespace

void register_cube(OperationTable& t) {
  t.add("v_cubeid_f32", kClass,
        lanes<[](float x, float y, float z) { return cube_face(x, y, z); }>);
  t.add("v_cubesc_f32", kClass, lanes<[](float x, float y, float z) { return cube_s(x, y, z); }>);
  t.add("v_cubetc_f32", kClass, lanes<[](float x, float y, float z) { return cube_t(x, y, z); }>);
  t.add("v_cubema_f32", kClass,
        lanes<[](float x, float y, float z) { return cube_major(x, y, z); }>);
  t.add("v_trig_preop_f64", kClass,
        lanes<[](double a, u32 b) { return segment_of_two_over_pi(a, b); }>);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_cube);
void register_vector_cube(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_cube)(t); }
}  // namespace geak::emulator
#endif

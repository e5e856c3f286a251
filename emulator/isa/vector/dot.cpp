// Dot products of packed integers and halves.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/dot.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/integer_math-inl.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

i32 signed_part(u32 x, unsigned width, unsigned n) {
  return static_cast<i32>(x << (32 - width * (n + 1))) >> (32 - width);
}
u32 unsigned_part(u32 x, unsigned width, unsigned n) {
  return x >> (width * n) & ((1u << width) - 1);
}

template <unsigned width>
i64 signed_dot(u32 a, u32 b, u32 c) {
  i64 sum = static_cast<i32>(c);
  for (unsigned n = 0; n < 32 / width; ++n)
    sum += i64{signed_part(a, width, n)} * signed_part(b, width, n);
  return sum;
}
template <unsigned width>
u64 unsigned_dot(u32 a, u32 b, u32 c) {
  u64 sum = c;
  for (unsigned n = 0; n < 32 / width; ++n)
    sum += u64{unsigned_part(a, width, n)} * unsigned_part(b, width, n);
  return sum;
}

// Sources are whole dwords: op_sel's defaults are no modification here.
template <auto f>
const Instruction* dword_sources(Wave& w, const Instruction* i) {
  Rows<1> storage[3], out;
  const u32* row[3];
  for (unsigned n = 0; n < 3; ++n) {
    const u16 code = i->src[n];
    row[n] = storage[n].lane;
    if (i->form == Form::dpp)
      modified_source32(w, i, n, Kind::raw32, storage[n].lane);
    else if (is_vector_operand(code))
      row[n] = w.row(code);
    else
      broadcast(storage[n].lane, scalar_u32(w, *i, code));
  }
  GEAK_EACH_LANE(l) { out.lane[l] = static_cast<u32>(f(row[0][l], row[1][l], row[2][l])); }
  blend(w.row(i->dst), out.lane, write_mask(w, i));
  return i + 1;
}

template <auto f, auto saturating>
const Instruction* integer_dot(Wave& w, const Instruction* i) {
  return i->clamp ? dword_sources<saturating>(w, i) : dword_sources<f>(w, i);
}

template <unsigned width>
void add_signed(OperationTable& t, const char* name) {
  t.add(name, kClass,
        integer_dot<[](u32 a, u32 b, u32 c) { return signed_dot<width>(a, b, c); },
                    [](u32 a, u32 b, u32 c) { return saturate32(signed_dot<width>(a, b, c)); }>);
}
template <unsigned width>
void add_unsigned(OperationTable& t, const char* name) {
  t.add(
      name, kClass,
      integer_dot<[](u32 a, u32 b, u32 c) { return unsigned_dot<width>(a, b, c); },
                  [](u32 a, u32 b, u32 c) { return saturate_u32(unsigned_dot<width>(a, b, c)); }>);
}

// Products of halves are exact in single precision; each addition is rounded.
u32 half_dot(u32 a, u32 b, u32 c) {
  auto half = [](u32 x) HWY_ATTR { return static_cast<float>(to_half(static_cast<u16>(x))); };
  const float first = half(a) * half(b) + to_float(c);
  return bits_of(half(a >> 16) * half(b >> 16) + first);
}

// neg and neg_hi of the two packed sources, and neg of the addend.
const Instruction* half_dot_with_signs(Wave& w, const Instruction* i) {
  u32 flip[3] = {0, 0, i->neg >> 2 & 1 ? kSignBit : 0};
  for (unsigned n = 0; n < 2; ++n)
    flip[n] = (i->neg >> n & 1 ? 0x8000u : 0) | (i->abs >> n & 1 ? 0x80000000u : 0);
  Rows<1> row[3], out;
  for (unsigned n = 0; n < 3; ++n) {
    const u16 code = i->src[n];
    if (is_vector_operand(code))
      __builtin_memcpy(row[n].lane, w.row(code), sizeof(Lanes));
    else
      broadcast(row[n].lane, scalar_u32(w, *i, code));
    const bool swap_low = n < 2 && (i->op_sel >> n & 1), keep_high = i->op_sel_hi >> n & 1;
    if (n < 2 && (swap_low || !keep_high)) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const u32 x = row[n].lane[l];
        row[n].lane[l] = (swap_low ? x >> 16 : x & 0xffff) | (keep_high ? x & 0xffff0000 : x << 16);
      }
    }
    for (unsigned l = 0; l < kLanes; ++l) row[n].lane[l] ^= flip[n];
  }
  const bool clamp = i->clamp;
  GEAK_EACH_LANE(l) {
    const float r = to_float(half_dot(row[0].lane[l], row[1].lane[l], row[2].lane[l]));
    out.lane[l] = bits_of(!clamp ? r : r > 1.0f ? 1.0f : r > 0.0f ? r : 0.0f);
  }
  blend(w.row(i->dst), out.lane, w.exec());
  return i + 1;
}

}  // namespace

void register_dot(OperationTable& t) {
  add_signed<16>(t, "v_dot2_i32_i16");
  add_signed<16>(t, "v_dot2c_i32_i16");
  add_unsigned<16>(t, "v_dot2_u32_u16");
  add_signed<8>(t, "v_dot4_i32_i8");
  add_signed<8>(t, "v_dot4c_i32_i8");
  add_unsigned<8>(t, "v_dot4_u32_u8");
  add_signed<4>(t, "v_dot8_i32_i4");
  add_signed<4>(t, "v_dot8c_i32_i4");
  add_unsigned<4>(t, "v_dot8_u32_u4");
  constexpr const char* kNote =
      "additions in the manual's order, each rounded; the hardware may keep more bits: 2 ulp of "
      "the "
      "largest term";
  t.add("v_dot2_f32_f16", kClass, half_dot_with_signs, Fidelity::approximate, kNote).f32_mode =
      true;
  t.add("v_dot2c_f32_f16", kClass,
        dword_sources<[](u32 a, u32 b, u32 c) { return half_dot(a, b, c); }>, Fidelity::approximate,
        kNote)
      .f32_mode = true;
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_dot);
void register_vector_dot(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_dot)(t); }
}  // namespace geak::emulator
#endif

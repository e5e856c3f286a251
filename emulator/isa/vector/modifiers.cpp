// Everything around an operation that is not plain: negation, absolute value, op_sel, SDWA, DPP on
// sources; OMOD, clamp, SDWA, op_sel and partial EXEC on results.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/modifiers.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/dpp.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

// SDWA selectors: bytes 0..3, words 4..5, 6 the dword.
u32 select_part(u32 value, unsigned selector, bool sign_extend) {
  if (selector <= 3) {
    const u32 byte = value >> (8 * selector) & 0xff;
    return sign_extend ? static_cast<u32>(static_cast<std::int8_t>(byte)) : byte;
  }
  if (selector <= 5) {
    const u32 word = value >> (16 * (selector - 4)) & 0xffff;
    return sign_extend ? static_cast<u32>(static_cast<i16>(word)) : word;
  }
  return value;
}

void select_sdwa(u32* out, u32 control, unsigned n) {
  const unsigned selector = control >> (n == 0 ? 16 : 24) & 7;
  const bool sign_extend = control >> (n == 0 ? 19 : 27) & 1;
  for (unsigned l = 0; l < kLanes; ++l) out[l] = select_part(out[l], selector, sign_extend);
}

void permute_dpp(u64 exec, const Instruction* i, const u32* in, u32* out) {
  const DppControl control(i->control);
  for (unsigned l = 0; l < kLanes; ++l) {
    const int from = control.source(l, exec);
    out[l] = from < 0 ? 0 : in[from];
  }
}

template <class T>
void apply_sign(T* out, bool absolute, bool negate, T sign) {
  if (absolute)
    for (unsigned l = 0; l < kLanes; ++l) out[l] &= ~sign;
  if (negate)
    for (unsigned l = 0; l < kLanes; ++l) out[l] ^= sign;
}

}  // namespace

void modified_source32(const Wave& w, const Instruction* i, unsigned n, Kind kind, u32* out) {
  const u16 code = i->src[n];
  const bool half = kind == Kind::raw16 || kind == Kind::float16;
  const bool high_half = half && (i->op_sel >> n & 1);
  if (!is_vector_operand(code)) {
    // A half constant has no high half; a register has.
    broadcast(out, half && !high_half ? scalar_u16(w, *i, code) : scalar_u32(w, *i, code));
  } else if (i->form == Form::dpp && n == 0) {
    permute_dpp(w.exec(), i, w.row(code), out);
  } else {
    __builtin_memcpy(out, w.row(code), sizeof(Lanes));
  }
  if (i->form == Form::sdwa && n < 2) select_sdwa(out, i->control, n);
  if (high_half)
    for (unsigned l = 0; l < kLanes; ++l) out[l] >>= 16;
  apply_sign<u32>(out, i->abs >> n & 1, i->neg >> n & 1, half ? 0x8000 : kSignBit);
}

void modified_source64(const Wave& w, const Instruction* i, unsigned n, Kind kind, u32* out) {
  const u16 code = i->src[n];
  if (!is_vector_operand(code)) {
    const u64 value = kind == Kind::float64 ? scalar_f64(w, *i, code) : scalar_u64(w, *i, code);
    broadcast(out, static_cast<u32>(value));
    broadcast(out + kLanes, static_cast<u32>(value >> 32));
  } else if (i->form == Form::dpp && n == 0) {
    permute_dpp(w.exec(), i, w.row(code), out);
    permute_dpp(w.exec(), i, w.row(code) + kLanes, out + kLanes);
  } else {
    __builtin_memcpy(out, w.row(code), 2 * sizeof(Lanes));
  }
  apply_sign<u32>(out + kLanes, i->abs >> n & 1, i->neg >> n & 1, kSignBit);
}

u64 write_mask(const Wave& w, const Instruction* i) {
  const u64 exec = w.exec();
  if (i->form != Form::dpp) return exec;
  return exec & DppControl(i->control).writable(exec);
}

namespace {

// OMOD is ignored under IEEE mode, and where denormal results are kept. It flushes -0 to +0.
bool omod_applies(const Wave& w, const Instruction* i, Kind kind) {
  const u32 denormal_results = kind == Kind::float32 ? 0x20 : 0x80;
  return i->omod != 0 && (w.mode & (kModeIeee | denormal_results)) == 0;
}

template <class T>
T scale_and_clamp(T x, unsigned omod, bool clamp, bool dx10) {
  if (omod != 0) {
    x *= static_cast<T>(omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f);
    if (x == static_cast<T>(0)) x = static_cast<T>(0);
  }
  if (clamp) {
    if (is_nan(x)) return dx10 ? static_cast<T>(0) : x;
    if (!(x > static_cast<T>(0))) return static_cast<T>(0);
    if (x > static_cast<T>(1)) return static_cast<T>(1);
  }
  return x;
}

void modify_float_result(const Wave& w, const Instruction* i, Kind kind, u32* value) {
  const unsigned omod = omod_applies(w, i, kind) ? i->omod : 0;
  const bool dx10 = w.mode & kModeDx10Clamp;
  if (omod == 0 && !i->clamp) return;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (kind == Kind::float32) {
      value[l] = bits_of(scale_and_clamp(to_float(value[l]), omod, i->clamp, dx10));
    } else if (kind == Kind::float16) {
      const f16 x = to_half(static_cast<u16>(value[l]));
      value[l] = bits_of(scale_and_clamp(x, omod, i->clamp, dx10));
    } else {
      const double x = to_double(u64{value[l]} | u64{value[l + kLanes]} << 32);
      const u64 bits = bits_of(scale_and_clamp(x, omod, i->clamp, dx10));
      value[l] = static_cast<u32>(bits);
      value[l + kLanes] = static_cast<u32>(bits >> 32);
    }
  }
}

// dst_sel: as the sources'; dst_unused: 0 pad with zeros, 1 sign-extend, 2 keep the old bits.
u32 merge_sdwa(u32 value, u32 old, unsigned selector, unsigned unused) {
  if (selector >= 6) return value;
  const unsigned width = selector <= 3 ? 8 : 16;
  const unsigned shift = selector <= 3 ? 8 * selector : 16 * (selector - 4);
  const u32 mask = ((1u << width) - 1) << shift;
  const u32 placed = value << shift & mask;
  if (unused == 2) return placed | (old & ~mask);
  if (unused == 1 && (value >> (width - 1) & 1)) return placed | ~(mask | ((1u << shift) - 1));
  return placed;
}

}  // namespace

void finish(Wave& w, const Instruction* i, Kind kind, u32* value, bool preserve) {
  u32* row = w.row(i->dst);
  if (is_float(kind)) modify_float_result(w, i, kind, value);
  if (kind == Kind::float16 && flushes_half_results(w)) flush_half(value);
  if (preserve && i->form == Form::plain) {
    const bool high = i->op_sel & 8;
    for (unsigned l = 0; l < kLanes; ++l)
      value[l] =
          high ? value[l] << 16 | (row[l] & 0xffff) : (value[l] & 0xffff) | (row[l] & 0xffff0000);
  }
  if (i->form == Form::sdwa) {
    const unsigned selector = i->control >> 8 & 7, unused = i->control >> 11 & 3;
    for (unsigned l = 0; l < kLanes; ++l) value[l] = merge_sdwa(value[l], row[l], selector, unused);
  }
  blend(row, value, write_mask(w, i));
}

void finish64(Wave& w, const Instruction* i, Kind kind, u32* value) {
  if (is_float(kind)) modify_float_result(w, i, kind, value);
  const u64 mask = write_mask(w, i);
  blend(w.row(i->dst), value, mask);
  blend(w.row(i->dst) + kLanes, value + kLanes, mask);
}

void flush_half(u32* value) {
  for (unsigned l = 0; l < kLanes; ++l)
    if ((value[l] & 0x7c00) == 0) value[l] &= 0x8000;
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

// Templates that turn a lambda over one lane's values into the handler of a vector instruction.
// Included once for each of Highway's targets (hence the toggled guard); everything here lies in
// that target's namespace. The lambda's parameter types say how sources are read, its result type
// what is written:
//   float, double, _Float16    floating point: negation, absolute value, OMOD, clamp to [0, 1]
//   uint32_t, int32_t, 64, 16  integers
//   bool (parameter)           the lane's bit of a mask in a scalar register pair
//   bool (result)              the lane's bit of a comparison
//   Carry<T> (result)          a value and the lane's bit of a mask
#if defined(GEAK_EMULATOR_ISA_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GEAK_EMULATOR_ISA_LANES_INL_H
#undef GEAK_EMULATOR_ISA_LANES_INL_H
#else
#define GEAK_EMULATOR_ISA_LANES_INL_H
#endif

#include <cstdint>
#include <type_traits>

#include "emulator/isa/constants.h"
#include "emulator/isa/instruction.h"
#include "emulator/isa/operation.h"
#include "emulator/isa/vector/float_bits.h"
#include "emulator/wave/wave.h"
#include "hwy/highway.h"

// Lanes are independent, and a register that is both source and destination is read before it is
// written in the same lane, so the loop may always be vectorized.
#define GEAK_EACH_LANE(l) \
  _Pragma("clang loop vectorize(assume_safety)") for (unsigned l = 0; l < kLanes; ++l)

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using u16 = std::uint16_t;
using i16 = std::int16_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using f16 = _Float16;

template <class T>
struct Carry {
  T value;
  bool carry;
};

enum class Kind { raw32, float32, raw16, float16, raw64, float64 };

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, float>)
    return Kind::float32;
  else if constexpr (std::is_same_v<T, f16>)
    return Kind::float16;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::float64;
  else if constexpr (sizeof(T) == 8)
    return Kind::raw64;
  else if constexpr (sizeof(T) == 2)
    return Kind::raw16;
  else
    return Kind::raw32;
}

constexpr bool is_float(Kind kind) {
  return kind == Kind::float32 || kind == Kind::float16 || kind == Kind::float64;
}

// One dword for each lane, or two for 64-bit values: low dwords, then high ones.
template <unsigned rows>
struct Rows {
  alignas(64) u32 lane[rows * kLanes];
};

using Tag = hn::CappedTag<u32, 16>;

HWY_INLINE void broadcast(u32* HWY_RESTRICT out, u32 value) {
  const Tag d;
  const auto v = hn::Set(d, value);
  for (unsigned l = 0; l < kLanes; l += hn::Lanes(d)) hn::Store(v, d, out + l);
}

// 64 flags (zero or not) to a mask.
HWY_INLINE u64 mask_of(const u32* HWY_RESTRICT flags) {
  const Tag d;
  constexpr unsigned kStep = HWY_MAX_BYTES / 4 < 16 ? HWY_MAX_BYTES / 4 : 16;
  u64 mask = 0;
  for (unsigned l = 0; l < kLanes; l += kStep) {
    // A number, which stays in a register: of bytes the compiler would make a vector in memory, and
    // the host would wait for their stores.
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Ne(hn::Load(d, flags + l), hn::Zero(d)),
                      reinterpret_cast<std::uint8_t*>(&bits));
    mask |= (bits & 0xffff) << l;
  }
  return mask;
}

// A mask to 64 flags: 1 or 0.
HWY_INLINE void flags_of(u64 mask, u32* HWY_RESTRICT flags) {
  const u32 low = static_cast<u32>(mask), high = static_cast<u32>(mask >> 32);
  for (unsigned l = 0; l < 32; ++l) flags[l] = low >> l & 1;
  for (unsigned l = 0; l < 32; ++l) flags[l + 32] = high >> l & 1;
}

// row = mask ? value : row.
HWY_INLINE void blend(u32* HWY_RESTRICT row, const u32* HWY_RESTRICT value, u64 mask) {
  const Tag d;
  constexpr unsigned kStep = HWY_MAX_BYTES / 4 < 16 ? HWY_MAX_BYTES / 4 : 16;
  for (unsigned l = 0; l < kLanes; l += kStep) {
    const u64 part = mask >> l;
    std::uint8_t bits[8] = {static_cast<std::uint8_t>(part), static_cast<std::uint8_t>(part >> 8)};
    if constexpr (kStep < 8) bits[0] &= (1u << kStep) - 1;
    hn::BlendedStore(hn::Load(d, value + l), hn::LoadMaskBits(d, bits), d, row + l);
  }
}

HWY_INLINE u64 mask_operand(const Wave& w, const Instruction* i, unsigned n) {
  return scalar_u64(w, *i, i->src[n]);
}

// Sources with modifiers, SDWA or DPP. Each writes its 64 (or 2 x 64) dwords to `out`.
void modified_source32(const Wave& w, const Instruction* i, unsigned n, Kind kind, u32* out);
void modified_source64(const Wave& w, const Instruction* i, unsigned n, Kind kind, u32* out);
// Results with modifiers, or under a partial EXEC. `preserve`: a 16-bit result leaves the other
// half of the register as it was.
void finish(Wave& w, const Instruction* i, Kind kind, u32* value, bool preserve);
void finish64(Wave& w, const Instruction* i, Kind kind, u32* value);
// Flushes 16-bit denormals where MODE says so: the host's own mode does not reach them.
void flush_half(u32* value);

HWY_INLINE bool flushes_half_sources(const Wave& w) { return (w.mode & 0x40) == 0; }
HWY_INLINE bool flushes_half_results(const Wave& w) { return (w.mode & 0x80) == 0; }

template <class T>
struct Source {
  static constexpr Kind kKind = kind_of<T>();
  static constexpr bool kWide = sizeof(T) == 8;
  const u32* low;
  Rows<kWide ? 2 : 1> storage;

  HWY_INLINE Source(const Wave& w, const Instruction* i, unsigned n) {
    const u16 code = i->src[n];
    low = storage.lane;
    if (i->modified) [[unlikely]] {
      if constexpr (kWide)
        modified_source64(w, i, n, kKind, storage.lane);
      else
        modified_source32(w, i, n, kKind, storage.lane);
    } else if (is_vector_operand(code)) {
      low = w.row(code);
    } else if constexpr (kWide) {
      const u64 value = kKind == Kind::float64 ? scalar_f64(w, *i, code) : scalar_u64(w, *i, code);
      broadcast(storage.lane, static_cast<u32>(value));
      broadcast(storage.lane + kLanes, static_cast<u32>(value >> 32));
    } else if constexpr (sizeof(T) == 2) {
      broadcast(storage.lane, scalar_u16(w, *i, code));
    } else {
      broadcast(storage.lane, scalar_u32(w, *i, code));
    }
    if constexpr (kKind == Kind::float16) {
      if (flushes_half_sources(w)) [[unlikely]] {
        if (low != storage.lane) __builtin_memcpy(storage.lane, low, sizeof storage.lane);
        low = storage.lane;
        flush_half(storage.lane);
      }
    }
  }

  HWY_INLINE T operator[](unsigned l) const {
    if constexpr (kWide)
      return __builtin_bit_cast(T, u64{low[l]} | u64{low[l + kLanes]} << 32);
    else if constexpr (sizeof(T) == 2)
      return __builtin_bit_cast(T, static_cast<u16>(low[l]));
    else
      return __builtin_bit_cast(T, low[l]);
  }
};

template <>
struct Source<bool> {
  Rows<1> storage;
  HWY_INLINE Source(const Wave& w, const Instruction* i, unsigned n) {
    flags_of(mask_operand(w, i, n), storage.lane);
  }
  HWY_INLINE bool operator[](unsigned l) const { return storage.lane[l] != 0; }
};

// Where a handler puts its result: straight into the register when nothing is left to do.
template <class T, bool preserve = false>
struct Destination {
  static constexpr Kind kKind = kind_of<T>();
  static constexpr bool kWide = sizeof(T) == 8;
  u32* low;
  Rows<kWide ? 2 : 1> storage;

  HWY_INLINE Destination(Wave& w, const Instruction* i) {
    const bool direct = !preserve && !i->modified && w.exec() == ~u64{0} &&
                        (kKind != Kind::float16 || !flushes_half_results(w));
    low = direct ? w.row(i->dst) : storage.lane;
  }
  HWY_INLINE void set(unsigned l, T value) {
    if constexpr (kWide) {
      const u64 bits = __builtin_bit_cast(u64, value);
      low[l] = static_cast<u32>(bits);
      low[l + kLanes] = static_cast<u32>(bits >> 32);
    } else if constexpr (sizeof(T) == 2) {
      low[l] = __builtin_bit_cast(u16, value);
    } else {
      low[l] = __builtin_bit_cast(u32, value);
    }
  }
  HWY_INLINE void finish_to(Wave& w, const Instruction* i) {
    if (low != storage.lane) return;
    if constexpr (kWide)
      finish64(w, i, kKind, low);
    else
      finish(w, i, kKind, low, preserve);
  }
};

// Comparisons: bits of inactive lanes are 0.
struct Flags {
  Rows<1> storage;
  HWY_INLINE void set(unsigned l, bool value) { storage.lane[l] = value; }
  HWY_INLINE u64 mask(u64 exec) const { return mask_of(storage.lane) & exec; }
};

// The lanes that an instruction writes: EXEC, less those that DPP masks or leaves without source.
u64 write_mask(const Wave& w, const Instruction* i);

template <class F>
struct Signature;
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> {
  using Result = R;
  static constexpr unsigned kArguments = sizeof...(A);
  template <template <class> class S>
  struct Sources;
};

template <class R>
struct IsCarry : std::false_type {};
template <class T>
struct IsCarry<Carry<T>> : std::true_type {
  using Value = T;
};

// Applies f to every lane and stores what it returns.
template <class R, bool preserve, class F>
HWY_INLINE void store_lanes(Wave& w, const Instruction* i, F f) {
  if constexpr (IsCarry<R>::value) {
    Destination<typename IsCarry<R>::Value> out(w, i);
    Flags flags;
    GEAK_EACH_LANE(l) {
      const R r = f(l);
      out.set(l, r.value);
      flags.set(l, r.carry);
    }
    // The mask goes last: a lane's carry-in may come from the same registers.
    const u64 mask = flags.mask(write_mask(w, i));
    out.finish_to(w, i);
    w.set_scalar64(i->sdst, mask);
  } else {
    Destination<R, preserve> out(w, i);
    GEAK_EACH_LANE(l) { out.set(l, f(l)); }
    out.finish_to(w, i);
  }
}

template <auto f, bool preserve, class C, class R, class A>
HWY_INLINE void apply(Wave& w, const Instruction* i, R (C::*)(A) const) {
  const Source<A> a(w, i, 0);
  store_lanes<R, preserve>(w, i, [&](unsigned l) HWY_ATTR { return f(a[l]); });
}

template <auto f, bool preserve, class C, class R, class A, class B>
HWY_INLINE void apply(Wave& w, const Instruction* i, R (C::*)(A, B) const) {
  const Source<A> a(w, i, 0);
  const Source<B> b(w, i, 1);
  store_lanes<R, preserve>(w, i, [&](unsigned l) HWY_ATTR { return f(a[l], b[l]); });
}

template <auto f, bool preserve, class C, class R, class A, class B, class D>
HWY_INLINE void apply(Wave& w, const Instruction* i, R (C::*)(A, B, D) const) {
  const Source<A> a(w, i, 0);
  const Source<B> b(w, i, 1);
  const Source<D> c(w, i, 2);
  store_lanes<R, preserve>(w, i, [&](unsigned l) HWY_ATTR { return f(a[l], b[l], c[l]); });
}

// The handler of an instruction that does f in each lane.
template <auto f>
const Instruction* lanes(Wave& w, const Instruction* i) {
  apply<f, false>(w, i, &decltype(f)::operator());
  return i + 1;
}

// As lanes, for 16-bit results that leave the register's other half as it was (op_sel chooses).
template <auto f>
const Instruction* lanes_keep_half(Wave& w, const Instruction* i) {
  apply<f, true>(w, i, &decltype(f)::operator());
  return i + 1;
}

// Integer operations whose clamp bit means saturation.
template <auto f, auto saturating>
const Instruction* lanes_saturating(Wave& w, const Instruction* i) {
  return i->clamp ? lanes<saturating>(w, i) : lanes<f>(w, i);
}

template <auto f, auto saturating>
const Instruction* saturating_keep_half(Wave& w, const Instruction* i) {
  return i->clamp ? lanes_keep_half<saturating>(w, i) : lanes_keep_half<f>(w, i);
}

// Operations on NaNs differ with MODE.IEEE.
template <auto ieee, auto legacy>
const Instruction* lanes_ieee(Wave& w, const Instruction* i) {
  return w.mode & kModeIeee ? lanes<ieee>(w, i) : lanes<legacy>(w, i);
}

template <auto ieee, auto legacy>
const Instruction* lanes_ieee_keep_half(Wave& w, const Instruction* i) {
  return w.mode & kModeIeee ? lanes_keep_half<ieee>(w, i) : lanes_keep_half<legacy>(w, i);
}

// Comparisons to `sdst`, and to EXEC too for v_cmpx.
template <auto f, bool to_exec, class C, class A, class B>
HWY_INLINE void compare_lanes(Wave& w, const Instruction* i, bool (C::*)(A, B) const) {
  const Source<A> a(w, i, 0);
  const Source<B> b(w, i, 1);
  Flags flags;
  GEAK_EACH_LANE(l) { flags.set(l, f(a[l], b[l])); }
  const u64 mask = flags.mask(w.exec());
  w.set_scalar64(i->sdst, mask);
  if constexpr (to_exec) w.set_scalar64(kExec, mask);
}

template <auto f, bool to_exec>
const Instruction* compare(Wave& w, const Instruction* i) {
  compare_lanes<f, to_exec>(w, i, &decltype(f)::operator());
  return i + 1;
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#endif

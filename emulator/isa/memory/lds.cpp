// DS instructions on LDS: reads, writes, atomics.
#include <string>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/memory/atomic_changes.h"
#include "emulator/isa/memory/elements.h"
#include "emulator/isa/memory/lane_access.h"
#include "emulator/isa/operation.h"

namespace geak::emulator {
namespace {

constexpr auto kClass = InstructionClass::lds;

struct Offsets {
  alignas(64) std::uint32_t of[kLanes];
};

const Instruction* refuse_gds(Wave& w, const Instruction* i) {
  return fault(w, i, FaultKind::unknown_instruction,
               "the emulator has no global data share: " + describe(w, *i));
}

template <class Element>
const Instruction* single(Wave& w, const Instruction* i) {
  if (i->memory & kGds) return refuse_gds(w, i);
  LaneAccess access;
  access.takes_steps = takes_steps<Element>();
  resolve_lds(w, w.row(i->src[0]), static_cast<std::uint32_t>(i->imm), w.exec(), Element::kBytes,
              Element::kDirection, access);
  if (access.mask) Element::apply(w, i, access);
  return i + 1;
}

// Two elements a lane, at 8-bit offsets that count elements (or, in the ST64 forms, 64 of them).
template <class T, unsigned scale>
void resolve_pair(Wave& w, const Instruction* i, Direction direction, LaneAccess (&access)[2]) {
  for (unsigned n = 0; n < 2; ++n) {
    const std::uint32_t units = static_cast<std::uint32_t>(i->imm) >> 8 * n & 0xff;
    access[n].takes_steps = direction != Direction::atomic;
    resolve_lds(w, w.row(i->src[0]), units * sizeof(T) * scale, w.exec(), sizeof(T), direction,
                access[n]);
  }
  if (w.exec()) --w.workgroup->memory->counters.lds_instructions;
}

template <class T, unsigned scale>
const Instruction* read_pair(Wave& w, const Instruction* i) {
  if (i->memory & kGds) return refuse_gds(w, i);
  // Both addresses are known before the destination, which may overlap them, is written.
  LaneAccess access[2];
  resolve_pair<T, scale>(w, i, Direction::read, access);
  Instruction part = *i;
  for (const LaneAccess& each : access) {
    if (each.mask) LoadDwords<sizeof(T) / 4>::apply(w, &part, each);
    part.dst = static_cast<std::uint16_t>(part.dst + sizeof(T) / 4);
  }
  return i + 1;
}

template <class T, unsigned scale>
const Instruction* write_pair(Wave& w, const Instruction* i) {
  if (i->memory & kGds) return refuse_gds(w, i);
  LaneAccess access[2];
  resolve_pair<T, scale>(w, i, Direction::write, access);
  Instruction part = *i;
  for (unsigned n = 0; n < 2; ++n) {
    part.src[1] = i->src[1 + n];
    if (access[n].mask) StoreDwords<sizeof(T) / 4>::apply(w, &part, access[n]);
  }
  return i + 1;
}

template <class T, unsigned scale>
const Instruction* exchange_pair(Wave& w, const Instruction* i) {
  if (i->memory & kGds) return refuse_gds(w, i);
  LaneAccess access[2];
  resolve_pair<T, scale>(w, i, Direction::atomic, access);
  for_lanes(w.exec(), [&](unsigned lane) {
    T data[2], old[2];
    for (unsigned n = 0; n < 2; ++n) data[n] = read_element<T>(&w.row(i->src[1 + n]), lane);
    for (unsigned n = 0; n < 2; ++n)
      old[n] = atomic_change<T>(access[n].at[lane], [&](T) { return data[n]; });
    for (unsigned n = 0; n < 2; ++n)
      write_element<T>(&w.row(i->dst) + n * sizeof(T) / 4, lane, old[n]);
  });
  return i + 1;
}

// Read-modify-write with both data operands; `Change` maps (old, data0, data1) to the new value.
template <class T, class Change, bool returns>
struct AtomicOfTwo {
  static constexpr unsigned kBytes = sizeof(T);
  static constexpr Direction kDirection = Direction::atomic;
  static void apply(Wave& w, const Instruction* i, const LaneAccess& access) {
    for_lanes(access.mask, [&](unsigned lane) {
      const T data0 = read_element<T>(&w.row(i->src[1]), lane);
      const T data1 = read_element<T>(&w.row(i->src[2]), lane);
      const T old =
          atomic_change<T>(access.at[lane], [&](T value) { return Change()(value, data0, data1); });
      if (returns) write_element<T>(&w.row(i->dst), lane, old);
    });
  }
};

template <class T>
struct CompareStore {  // data0 is compared with, data1 stored
  T operator()(T old, T expected, T desired) const { return old == expected ? desired : old; }
};
template <class T>
struct MaskedOr {
  T operator()(T old, T mask, T data) const { return (old & ~mask) | data; }
};
struct Wrap {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t less, std::uint32_t more) const {
    return old >= less ? old - less : old + more;
  }
};

// Two dwords at an address that is a multiple of 8: each is exchanged when its data's top bit is
// set, for the data without that bit.
const Instruction* conditional_exchange(Wave& w, const Instruction* i) {
  if (i->memory & kGds) return refuse_gds(w, i);
  Offsets offsets;
  LaneAccess access;
  const Lanes& row = w.row(i->src[0]);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    offsets.of[lane] = (row[lane] + static_cast<std::uint32_t>(i->imm)) & 0xfff8;
  resolve_lds(w, offsets.of, 0, w.exec(), 8, Direction::atomic, access);
  for_lanes(w.exec(), [&](unsigned lane) {
    std::uint32_t data[2];
    for (unsigned n = 0; n < 2; ++n) data[n] = (&w.row(i->src[1]))[n][lane];
    for (unsigned n = 0; n < 2; ++n) {
      (&w.row(i->dst))[n][lane] = atomic_change<std::uint32_t>(
          access.at[lane] + 4 * n,
          [&](std::uint32_t old) { return data[n] >> 31 ? data[n] & 0x7fffffff : old; });
    }
  });
  return i + 1;
}

// ds_read_addtid_b32, ds_write_addtid_b32: at M0 plus the offset plus 4 times the lane.
template <class Element>
const Instruction* by_lane(Wave& w, const Instruction* i) {
  Offsets offsets;
  LaneAccess access;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    offsets.of[lane] = (w.sgpr[kM0] & 0xffff) + static_cast<std::uint32_t>(i->imm) + 4 * lane;
  resolve_lds(w, offsets.of, 0, w.exec(), 4, Element::kDirection, access);
  if (access.mask) Element::apply(w, i, access);
  return i + 1;
}

template <class T, class Change>
void add_atomic(OperationTable& t, const std::string& name, const std::string& type) {
  t.add("ds_" + name + "_" + type, kClass, single<Atomic<T, Change>>);
  t.add("ds_" + name + "_rtn_" + type, kClass, single<Atomic<T, Change, true>>);
}

template <class T, class Change>
void add_atomic_of_two(OperationTable& t, const std::string& name, const std::string& type) {
  t.add("ds_" + name + "_" + type, kClass, single<AtomicOfTwo<T, Change, false>>);
  t.add("ds_" + name + "_rtn_" + type, kClass, single<AtomicOfTwo<T, Change, true>>);
}

template <class U, class I>
void register_integer_atomics(OperationTable& t, const std::string& bits) {
  add_atomic<U, Add<U>>(t, "add", "u" + bits);
  add_atomic<U, Subtract<U>>(t, "sub", "u" + bits);
  add_atomic<U, ReverseSubtract<U>>(t, "rsub", "u" + bits);
  add_atomic<U, Increment<U>>(t, "inc", "u" + bits);
  add_atomic<U, Decrement<U>>(t, "dec", "u" + bits);
  add_atomic<I, Minimum<I>>(t, "min", "i" + bits);
  add_atomic<I, Maximum<I>>(t, "max", "i" + bits);
  add_atomic<U, Minimum<U>>(t, "min", "u" + bits);
  add_atomic<U, Maximum<U>>(t, "max", "u" + bits);
  add_atomic<U, And<U>>(t, "and", "b" + bits);
  add_atomic<U, Or<U>>(t, "or", "b" + bits);
  add_atomic<U, Xor<U>>(t, "xor", "b" + bits);
  add_atomic_of_two<U, MaskedOr<U>>(t, "mskor", "b" + bits);
  add_atomic_of_two<U, CompareStore<U>>(t, "cmpst", "b" + bits);
  t.add("ds_wrxchg_rtn_b" + bits, kClass, single<Atomic<U, Swap<U>, true>>);
  t.add("ds_wrxchg2_rtn_b" + bits, kClass, exchange_pair<U, 1>);
  t.add("ds_wrxchg2st64_rtn_b" + bits, kClass, exchange_pair<U, 64>);
}

template <class F>
void register_float_atomics(OperationTable& t, const std::string& type) {
  add_atomic<F, Add<F>>(t, "add", type);
  add_atomic<F, FloatMinimum<F>>(t, "min", type);
  add_atomic<F, FloatMaximum<F>>(t, "max", type);
  add_atomic_of_two<F, CompareStore<F>>(t, "cmpst", type);
}

void register_reads(OperationTable& t) {
  t.add("ds_read_i8", kClass, single<LoadNarrow<std::int8_t, Half::none>>);
  t.add("ds_read_u8", kClass, single<LoadNarrow<std::uint8_t, Half::none>>);
  t.add("ds_read_i16", kClass, single<LoadNarrow<std::int16_t, Half::none>>);
  t.add("ds_read_u16", kClass, single<LoadNarrow<std::uint16_t, Half::none>>);
  t.add("ds_read_u8_d16", kClass, single<LoadNarrow<std::uint8_t, Half::low>>);
  t.add("ds_read_u8_d16_hi", kClass, single<LoadNarrow<std::uint8_t, Half::high>>);
  t.add("ds_read_i8_d16", kClass, single<LoadNarrow<std::int8_t, Half::low>>);
  t.add("ds_read_i8_d16_hi", kClass, single<LoadNarrow<std::int8_t, Half::high>>);
  t.add("ds_read_u16_d16", kClass, single<LoadNarrow<std::uint16_t, Half::low>>);
  t.add("ds_read_u16_d16_hi", kClass, single<LoadNarrow<std::uint16_t, Half::high>>);
  t.add("ds_read_b32", kClass, single<LoadDwords<1>>);
  t.add("ds_read_b64", kClass, single<LoadDwords<2>>);
  t.add("ds_read_b96", kClass, single<LoadDwords<3>>);
  t.add("ds_read_b128", kClass, single<LoadDwords<4>>);
  t.add("ds_read2_b32", kClass, read_pair<std::uint32_t, 1>);
  t.add("ds_read2_b64", kClass, read_pair<std::uint64_t, 1>);
  t.add("ds_read2st64_b32", kClass, read_pair<std::uint32_t, 64>);
  t.add("ds_read2st64_b64", kClass, read_pair<std::uint64_t, 64>);
  t.add("ds_read_addtid_b32", kClass, by_lane<LoadDwords<1>>);
}

void register_writes(OperationTable& t) {
  t.add("ds_write_b8", kClass, single<StoreNarrow<std::uint8_t, Half::none>>);
  t.add("ds_write_b8_d16_hi", kClass, single<StoreNarrow<std::uint8_t, Half::high>>);
  t.add("ds_write_b16", kClass, single<StoreNarrow<std::uint16_t, Half::none>>);
  t.add("ds_write_b16_d16_hi", kClass, single<StoreNarrow<std::uint16_t, Half::high>>);
  t.add("ds_write_b32", kClass, single<StoreDwords<1>>);
  t.add("ds_write_b64", kClass, single<StoreDwords<2>>);
  t.add("ds_write_b96", kClass, single<StoreDwords<3>>);
  t.add("ds_write_b128", kClass, single<StoreDwords<4>>);
  t.add("ds_write2_b32", kClass, write_pair<std::uint32_t, 1>);
  t.add("ds_write2_b64", kClass, write_pair<std::uint64_t, 1>);
  t.add("ds_write2st64_b32", kClass, write_pair<std::uint32_t, 64>);
  t.add("ds_write2st64_b64", kClass, write_pair<std::uint64_t, 64>);
  t.add("ds_write_addtid_b32", kClass, by_lane<StoreDwords<1>>);
}

}  // namespace

void register_lds(OperationTable& t) {
  register_reads(t);
  register_writes(t);
  register_integer_atomics<std::uint32_t, std::int32_t>(t, "32");
  register_integer_atomics<std::uint64_t, std::int64_t>(t, "64");
  register_float_atomics<float>(t, "f32");
  register_float_atomics<double>(t, "f64");
  add_atomic<std::uint32_t, PackedAddF16>(t, "pk_add", "f16");
  add_atomic<std::uint32_t, PackedAddBf16>(t, "pk_add", "bf16");
  t.add("ds_condxchg32_rtn_b64", kClass, conditional_exchange);
  t.add("ds_wrap_rtn_b32", kClass, single<AtomicOfTwo<std::uint32_t, Wrap, true>>);
  t.add("ds_nop", kClass, [](Wave&, const Instruction* i) -> const Instruction* { return i + 1; });
}

}  // namespace geak::emulator

// The loads, stores and atomics that flat, global, scratch and buffer instructions share, by the
// name that follows the family's prefix.
#pragma once

#include "emulator/isa/memory/atomic_changes.h"
#include "emulator/isa/memory/elements.h"

namespace geak::emulator {

// Family::add<Element>(table, name).
template <class Family, class Table>
void register_loads_and_stores(Table& t) {
  using u8 = std::uint8_t;
  using i8 = std::int8_t;
  using u16 = std::uint16_t;
  using i16 = std::int16_t;
  Family::template add<LoadNarrow<u8, Half::none>>(t, "load_ubyte");
  Family::template add<LoadNarrow<i8, Half::none>>(t, "load_sbyte");
  Family::template add<LoadNarrow<u16, Half::none>>(t, "load_ushort");
  Family::template add<LoadNarrow<i16, Half::none>>(t, "load_sshort");
  Family::template add<LoadNarrow<u8, Half::low>>(t, "load_ubyte_d16");
  Family::template add<LoadNarrow<u8, Half::high>>(t, "load_ubyte_d16_hi");
  Family::template add<LoadNarrow<i8, Half::low>>(t, "load_sbyte_d16");
  Family::template add<LoadNarrow<i8, Half::high>>(t, "load_sbyte_d16_hi");
  Family::template add<LoadNarrow<u16, Half::low>>(t, "load_short_d16");
  Family::template add<LoadNarrow<u16, Half::high>>(t, "load_short_d16_hi");
  Family::template add<LoadDwords<1>>(t, "load_dword");
  Family::template add<LoadDwords<2>>(t, "load_dwordx2");
  Family::template add<LoadDwords<3>>(t, "load_dwordx3");
  Family::template add<LoadDwords<4>>(t, "load_dwordx4");
  Family::template add<StoreNarrow<u8, Half::none>>(t, "store_byte");
  Family::template add<StoreNarrow<u8, Half::high>>(t, "store_byte_d16_hi");
  Family::template add<StoreNarrow<u16, Half::none>>(t, "store_short");
  Family::template add<StoreNarrow<u16, Half::high>>(t, "store_short_d16_hi");
  Family::template add<StoreDwords<1>>(t, "store_dword");
  Family::template add<StoreDwords<2>>(t, "store_dwordx2");
  Family::template add<StoreDwords<3>>(t, "store_dwordx3");
  Family::template add<StoreDwords<4>>(t, "store_dwordx4");
}

template <class Family, class U, class I, class Table>
void register_integer_atomics(Table& t, const std::string& suffix) {
  Family::template add<Atomic<U, Swap<U>>>(t, "atomic_swap" + suffix);
  Family::template add<CompareSwap<U>>(t, "atomic_cmpswap" + suffix);
  Family::template add<Atomic<U, Add<U>>>(t, "atomic_add" + suffix);
  Family::template add<Atomic<U, Subtract<U>>>(t, "atomic_sub" + suffix);
  Family::template add<Atomic<I, Minimum<I>>>(t, "atomic_smin" + suffix);
  Family::template add<Atomic<U, Minimum<U>>>(t, "atomic_umin" + suffix);
  Family::template add<Atomic<I, Maximum<I>>>(t, "atomic_smax" + suffix);
  Family::template add<Atomic<U, Maximum<U>>>(t, "atomic_umax" + suffix);
  Family::template add<Atomic<U, And<U>>>(t, "atomic_and" + suffix);
  Family::template add<Atomic<U, Or<U>>>(t, "atomic_or" + suffix);
  Family::template add<Atomic<U, Xor<U>>>(t, "atomic_xor" + suffix);
  Family::template add<Atomic<U, Increment<U>>>(t, "atomic_inc" + suffix);
  Family::template add<Atomic<U, Decrement<U>>>(t, "atomic_dec" + suffix);
}

template <class Family, class Table>
void register_atomics(Table& t) {
  register_integer_atomics<Family, std::uint32_t, std::int32_t>(t, "");
  register_integer_atomics<Family, std::uint64_t, std::int64_t>(t, "_x2");
  Family::template add<Atomic<float, Add<float>>>(t, "atomic_add_f32");
  Family::template add<Atomic<std::uint32_t, PackedAddF16>>(t, "atomic_pk_add_f16");
  Family::template add<Atomic<double, Add<double>>>(t, "atomic_add_f64");
  Family::template add<Atomic<double, FloatMinimum<double>>>(t, "atomic_min_f64");
  Family::template add<Atomic<double, FloatMaximum<double>>>(t, "atomic_max_f64");
}

}  // namespace geak::emulator

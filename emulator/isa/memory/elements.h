// What memory instructions do with each lane's element, once its pointer is known. Each has
//   kBytes, kDirection and apply(wave, instruction, access);
// kTakesSteps in those that find the lanes by LaneAccess::lane_step or run_step when there is one.
// Data to store is src[1] (of DS compare operations src[1] and src[2]).
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "emulator/isa/instruction.h"
#include "emulator/isa/memory/lane_access.h"
#include "emulator/wave/wave.h"

namespace geak::emulator {

template <class Element>
constexpr bool takes_steps() {
  if constexpr (requires { Element::kTakesSteps; })
    return Element::kTakesSteps;
  else
    return false;
}

enum class Half : std::uint8_t { none, low, high };  // of the register: D16 instructions

inline std::uint32_t load32(const std::byte* from) {
  std::uint32_t value;
  std::memcpy(&value, from, 4);
  return value;
}

// Four lanes' elements of four dwords become a part of four rows, or the other way round.
inline void transpose(__m128i (&r)[4]) {
  const __m128i low01 = _mm_unpacklo_epi32(r[0], r[1]), low23 = _mm_unpacklo_epi32(r[2], r[3]);
  const __m128i high01 = _mm_unpackhi_epi32(r[0], r[1]), high23 = _mm_unpackhi_epi32(r[2], r[3]);
  r[0] = _mm_unpacklo_epi64(low01, low23);
  r[1] = _mm_unpackhi_epi64(low01, low23);
  r[2] = _mm_unpacklo_epi64(high01, high23);
  r[3] = _mm_unpackhi_epi64(high01, high23);
}

// Calls body(at): at(lane) is where the lane's elements of `bytes` are.
template <unsigned bytes, class Body>
inline void with_places(const LaneAccess& access, Body&& body) {
  std::byte* const first = access.at[0];
  if (access.lane_step == bytes)
    body([=](unsigned lane) { return first + std::size_t{lane} * bytes; });
  else if (access.run_step != kNoRuns)
    body([&](unsigned lane) {
      const unsigned within = lane % kRunLanes;
      return access.at[lane - within] +
             std::size_t{within} * static_cast<unsigned>(access.run_step);
    });
  else
    body([&](unsigned lane) { return access.at[lane]; });
}

// All 64 lanes, elements of two or four consecutive dwords.
template <unsigned dwords, class At>
inline void load_transposed(Lanes* rows, At&& at) {
  for (unsigned lane = 0; lane < kLanes; lane += 4) {
    __m128i r[4];
    for (unsigned n = 0; n < 4; ++n) {
      const auto* from = reinterpret_cast<const __m128i*>(at(lane + n));
      r[n] = dwords == 4 ? _mm_loadu_si128(from) : _mm_loadl_epi64(from);
    }
    transpose(r);
    for (unsigned d = 0; d < dwords; ++d)
      _mm_store_si128(reinterpret_cast<__m128i*>(&rows[d][lane]), r[d]);
  }
}
template <unsigned dwords, class At>
inline void store_transposed(const Lanes* rows, At&& at) {
  for (unsigned lane = 0; lane < kLanes; lane += 4) {
    __m128i r[4] = {};
    for (unsigned d = 0; d < dwords; ++d)
      r[d] = _mm_load_si128(reinterpret_cast<const __m128i*>(&rows[d][lane]));
    transpose(r);
    for (unsigned n = 0; n < 4; ++n) {
      auto* to = reinterpret_cast<__m128i*>(at(lane + n));
      if constexpr (dwords == 4)
        _mm_storeu_si128(to, r[n]);
      else
        _mm_storel_epi64(to, r[n]);
    }
  }
}
template <unsigned dwords>
inline bool transposes(const LaneAccess& access) {
  return (dwords == 2 || dwords == 4) && access.mask == kAllLanes && access.stride == 4;
}

// Runs of lanes that read the same element.
template <unsigned dwords>
inline void load_for_all(Lanes* rows, const LaneAccess& access) {
  for (unsigned lane = 0; lane < kLanes; lane += kRunLanes) {
    for (unsigned d = 0; d < dwords; ++d)
      std::fill_n(&rows[d][lane], kRunLanes, load32(access.at[lane] + 4 * std::size_t{d}));
  }
}

template <unsigned dwords>
struct LoadDwords {
  static constexpr unsigned kBytes = 4 * dwords;
  static constexpr Direction kDirection = Direction::read;
  static constexpr bool kTakesSteps = true;
  static void apply(Wave& w, const Instruction* i, const LaneAccess& access) {
    Lanes* rows = &w.row(i->dst);
    if (access.lane_step == 4) {
      for (unsigned d = 0; d < dwords; ++d)
        std::memcpy(rows[d], access.at[0] + std::size_t{d} * access.stride, sizeof(Lanes));
      return;
    }
    if (access.run_step == 0) return load_for_all<dwords>(rows, access);
    if (dwords == 1 && access.run_step == 4) {
      for (unsigned lane = 0; lane < kLanes; lane += kRunLanes)
        std::memcpy(&rows[0][lane], access.at[lane], 4 * kRunLanes);
      return;
    }
    with_places<kBytes>(access, [&](auto&& at) {
      if (transposes<dwords>(access)) return load_transposed<dwords>(rows, at);
      for_lanes(access.mask, [&](unsigned lane) {
        for (unsigned d = 0; d < dwords; ++d)
          rows[d][lane] = load32(at(lane) + std::size_t{d} * access.stride);
      });
    });
  }
};

template <unsigned dwords>
struct StoreDwords {
  static constexpr unsigned kBytes = 4 * dwords;
  static constexpr Direction kDirection = Direction::write;
  static constexpr bool kTakesSteps = true;
  static void apply(Wave& w, const Instruction* i, const LaneAccess& access) {
    const Lanes* rows = &w.row(i->src[1]);
    if (access.lane_step == 4) {
      for (unsigned d = 0; d < dwords; ++d)
        std::memcpy(access.at[0] + std::size_t{d} * access.stride, rows[d], sizeof(Lanes));
      return;
    }
    if (dwords == 1 && access.run_step == 4) {
      for (unsigned lane = 0; lane < kLanes; lane += kRunLanes)
        std::memcpy(access.at[lane], &rows[0][lane], 4 * kRunLanes);
      return;
    }
    with_places<kBytes>(access, [&](auto&& at) {
      if (transposes<dwords>(access)) return store_transposed<dwords>(rows, at);
      for_lanes(access.mask, [&](unsigned lane) {
        for (unsigned d = 0; d < dwords; ++d)
          std::memcpy(at(lane) + std::size_t{d} * access.stride, &rows[d][lane], 4);
      });
    });
  }
};

// Element type Narrow (8 or 16 bits, sign-extended when signed), into a register or half of it.
template <class Narrow, Half half>
struct LoadNarrow {
  static constexpr unsigned kBytes = sizeof(Narrow);
  static constexpr Direction kDirection = Direction::read;
  static void apply(Wave& w, const Instruction* i, const LaneAccess& access) {
    Lanes& row = w.row(i->dst);
    for_lanes(access.mask, [&](unsigned lane) {
      Narrow value;
      std::memcpy(&value, access.at[lane], sizeof value);
      const auto wide = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
      if constexpr (half == Half::none)
        row[lane] = wide;
      else if constexpr (half == Half::low)
        row[lane] = (row[lane] & 0xffff0000) | (wide & 0xffff);
      else
        row[lane] = (row[lane] & 0xffff) | wide << 16;
    });
  }
};

template <class Narrow, Half half>
struct StoreNarrow {
  static constexpr unsigned kBytes = sizeof(Narrow);
  static constexpr Direction kDirection = Direction::write;
  static void apply(Wave& w, const Instruction* i, const LaneAccess& access) {
    const Lanes& row = w.row(i->src[1]);
    for_lanes(access.mask, [&](unsigned lane) {
      const auto value = static_cast<Narrow>(half == Half::high ? row[lane] >> 16 : row[lane]);
      std::memcpy(access.at[lane], &value, sizeof value);
    });
  }
};

template <class T>
inline T read_element(const Lanes* rows, unsigned lane) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(rows[0][lane] | std::uint64_t{rows[1][lane]} << 32);
  else
    return std::bit_cast<T>(rows[0][lane]);
}

template <class T>
inline void write_element(Lanes* rows, unsigned lane, T value) {
  if constexpr (sizeof(T) == 8) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    rows[0][lane] = static_cast<std::uint32_t>(bits);
    rows[1][lane] = static_cast<std::uint32_t>(bits >> 32);
  } else {
    rows[0][lane] = std::bit_cast<std::uint32_t>(value);
  }
}

// Applies `change` to *at as one atomic operation of the host; returns the old value.
template <class T, class Change>
inline T atomic_change(std::byte* at, Change&& change) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  auto* place = reinterpret_cast<Bits*>(at);
  Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old,
                                      std::bit_cast<Bits>(change(std::bit_cast<T>(old))), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return std::bit_cast<T>(old);
}

// The same where no other thread looks.
template <class T, class Change>
inline T plain_change(std::byte* at, Change&& change) {
  T old;
  std::memcpy(&old, at, sizeof old);
  const T changed = change(old);
  std::memcpy(at, &changed, sizeof changed);
  return old;
}

// Read-modify-write; `Change` maps (old, data) to the new value. `always_returns`: DS instructions
// say it by their name, others by GLC.
template <class T, class Change, bool always_returns = false>
struct Atomic {
  static constexpr unsigned kBytes = sizeof(T);
  static constexpr Direction kDirection = Direction::atomic;
  static void apply(Wave& w, const Instruction* i, const LaneAccess& access) {
    const Lanes* data = &w.row(i->src[1]);
    const bool returns = always_returns || (i->memory & kGlc) != 0;
    Lanes* result = returns ? &w.row(i->dst) : nullptr;
    for_lanes(access.mask, [&](unsigned lane) {
      const T operand = read_element<T>(data, lane);
      const auto change = [&](T value) { return Change()(value, operand); };
      const T old = access.one_thread ? plain_change<T>(access.at[lane], change)
                                      : atomic_change<T>(access.at[lane], change);
      if (returns) write_element<T>(result, lane, old);
    });
  }
};

// Compare and swap of FLAT and buffers: the new value, then the one to compare with, in one tuple.
template <class T>
struct CompareSwap {
  static constexpr unsigned kBytes = sizeof(T);
  static constexpr Direction kDirection = Direction::atomic;
  static void apply(Wave& w, const Instruction* i, const LaneAccess& access) {
    const Lanes* data = &w.row(i->src[1]);
    const bool returns = (i->memory & kGlc) != 0;
    Lanes* result = returns ? &w.row(i->dst) : nullptr;
    for_lanes(access.mask, [&](unsigned lane) {
      const T desired = read_element<T>(data, lane);
      T old = read_element<T>(data + sizeof(T) / 4, lane);
      __atomic_compare_exchange_n(reinterpret_cast<T*>(access.at[lane]), &old, desired, false,
                                  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      if (returns) write_element<T>(result, lane, old);
    });
  }
};

}  // namespace geak::emulator

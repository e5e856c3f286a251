// Expected results of scalar instructions, by 128-bit and bit-at-a-time arithmetic.
#include <algorithm>

#include "tests/emulator/isa/conformance.h"

namespace geak::emulator::testing {
namespace {

using Wide = __int128;

i32 s32(u64 x) { return static_cast<i32>(x); }
u32 bit(u64 x, unsigned n) { return n < 64 ? static_cast<u32>(x >> n & 1) : 0; }
ScalarOutcome nonzero(u64 value, unsigned bits = 32) {
  const u64 cut = bits == 32 ? value & 0xffffffff : value;
  return {cut, cut != 0};
}

template <class F>
ScalarCase& binary(std::string name, F f, unsigned bits = 32, bool wide_second = false) {
  ScalarCase test;
  test.mnemonic = std::move(name);
  test.wide_result = test.wide_source[0] = bits == 64;
  test.wide_source[1] = wide_second;
  test.expected = [f](u64 a, u64 b, bool scc, u64) { return f(a, b, scc); };
  scalar_cases().push_back(std::move(test));
  return scalar_cases().back();
}

template <class F>
ScalarCase& unary(std::string name, F f, bool wide_source = false, bool wide_result = false) {
  ScalarCase test;
  test.mnemonic = std::move(name);
  test.sources = 1;
  test.wide_source[0] = wide_source;
  test.wide_result = wide_result;
  test.expected = [f](u64 a, u64, bool, u64) { return f(a); };
  scalar_cases().push_back(std::move(test));
  return scalar_cases().back();
}

template <class F>
ScalarCase& compare(std::string name, F f, bool wide = false) {
  ScalarCase& test =
      binary(std::move(name), [f](u64 a, u64 b, bool) { return ScalarOutcome{0, f(a, b)}; });
  test.has_result = false;
  test.wide_source[0] = test.wide_source[1] = wide;
  return test;
}

// SOPK: f(constant, old destination).
template <class F>
ScalarCase& constant(std::string name, F f, bool writes) {
  ScalarCase test;
  test.mnemonic = std::move(name);
  test.sources = 0;
  test.has_result = writes;
  test.expected = [f](u64 k, u64, bool scc, u64 old) {
    return f(static_cast<i64>(k), static_cast<u32>(old), scc);
  };
  scalar_cases().push_back(std::move(test));
  return scalar_cases().back();
}

bool overflows(Wide x) { return x < -Wide{0x80000000ll} || x > 0x7fffffff; }

GEAK_CASES(arithmetic) {
  binary("s_add_u32", [](u64 a, u64 b, bool) { return ScalarOutcome{a + b, a + b > 0xffffffff}; });
  binary("s_sub_u32", [](u64 a, u64 b, bool) { return ScalarOutcome{a - b, b > a}; });
  binary("s_add_i32",
         [](u64 a, u64 b, bool) { return ScalarOutcome{a + b, overflows(Wide{s32(a)} + s32(b))}; });
  binary("s_sub_i32",
         [](u64 a, u64 b, bool) { return ScalarOutcome{a - b, overflows(Wide{s32(a)} - s32(b))}; });
  binary("s_addc_u32",
         [](u64 a, u64 b, bool c) { return ScalarOutcome{a + b + c, a + b + c > 0xffffffff}; });
  binary("s_subb_u32", [](u64 a, u64 b, bool c) { return ScalarOutcome{a - b - c, b + c > a}; });
  binary("s_min_i32", [](u64 a, u64 b, bool) {
    return ScalarOutcome{static_cast<u32>(std::min(s32(a), s32(b))), s32(a) < s32(b)};
  });
  binary("s_max_i32", [](u64 a, u64 b, bool) {
    return ScalarOutcome{static_cast<u32>(std::max(s32(a), s32(b))), s32(a) > s32(b)};
  });
  binary("s_min_u32", [](u64 a, u64 b, bool) { return ScalarOutcome{std::min(a, b), a < b}; });
  binary("s_max_u32", [](u64 a, u64 b, bool) { return ScalarOutcome{std::max(a, b), a > b}; });
  binary("s_mul_i32", [](u64 a, u64 b, bool) { return ScalarOutcome{a * b, -1}; });
  binary("s_mul_hi_u32", [](u64 a, u64 b, bool) { return ScalarOutcome{a * b >> 32, -1}; });
  binary("s_mul_hi_i32", [](u64 a, u64 b, bool) {
    return ScalarOutcome{static_cast<u64>(Wide{s32(a)} * s32(b) >> 32), -1};
  });
  binary("s_absdiff_i32", [](u64 a, u64 b, bool) {
    const Wide d = Wide{s32(a)} - s32(b);
    return nonzero(static_cast<u64>(d < 0 ? -d : d));
  });
  unary("s_abs_i32", [](u64 a) { return nonzero(static_cast<u64>(std::abs(i64{s32(a)}))); });
  for (unsigned n = 1; n <= 4; ++n)
    binary("s_lshl" + std::to_string(n) + "_add_u32", [n](u64 a, u64 b, bool) {
      return ScalarOutcome{(a << n) + b, (a << n) + b > 0xffffffff};
    });
  constant(
      "s_addk_i32",
      [](i64 k, u32 old, bool) {
        return ScalarOutcome{old + static_cast<u64>(k), overflows(Wide{s32(old)} + k)};
      },
      true);
  constant(
      "s_mulk_i32",
      [](i64 k, u32 old, bool) { return ScalarOutcome{old * static_cast<u64>(k), -1}; }, true);
  constant(
      "s_movk_i32", [](i64 k, u32, bool) { return ScalarOutcome{static_cast<u64>(k), -1}; }, true);
  constant(
      "s_cmovk_i32",
      [](i64 k, u32 old, bool scc) { return ScalarOutcome{scc ? static_cast<u64>(k) : old, -1}; },
      true);
}

GEAK_CASES(logic) {
  for (const unsigned bits : {32u, 64u}) {
    const std::string w = std::to_string(bits);
    const bool wide = bits == 64;
    auto logical = [&](const char* stem, u64 (*f)(u64, u64)) {
      binary(stem + w, [=](u64 a, u64 b, bool) { return nonzero(f(a, b), bits); }, bits, wide);
    };
    logical("s_and_b", [](u64 a, u64 b) { return a & b; });
    logical("s_or_b", [](u64 a, u64 b) { return a | b; });
    logical("s_xor_b", [](u64 a, u64 b) { return a ^ b; });
    logical("s_andn2_b", [](u64 a, u64 b) { return a & ~b; });
    logical("s_orn2_b", [](u64 a, u64 b) { return a | ~b; });
    logical("s_nand_b", [](u64 a, u64 b) { return ~a | ~b; });
    logical("s_nor_b", [](u64 a, u64 b) { return ~a & ~b; });
    logical("s_xnor_b", [](u64 a, u64 b) { return (a & b) | (~a & ~b); });
    unary("s_not_b" + w, [=](u64 a) { return nonzero(~a, bits); }, wide, wide);
    binary("s_lshl_b" + w, [=](u64 a, u64 b, bool) { return nonzero(a << b % bits, bits); }, bits);
    binary("s_lshr_b" + w, [=](u64 a, u64 b, bool) { return nonzero(a >> b % bits, bits); }, bits);
    binary(
        "s_ashr_i" + w,
        [=](u64 a, u64 b, bool) {
          const i64 value = wide ? static_cast<i64>(a) : s32(a);
          return nonzero(static_cast<u64>(value >> b % bits), bits);
        },
        bits);
    binary(
        "s_cselect_b" + w, [=](u64 a, u64 b, bool scc) { return ScalarOutcome{scc ? a : b, -1}; },
        bits, wide);
    unary("s_mov_b" + w, [](u64 a) { return ScalarOutcome{a, -1}; }, wide, wide);
    ScalarCase& cmov =
        unary("s_cmov_b" + w, [](u64 a) { return ScalarOutcome{a, -1}; }, wide, wide);
    cmov.expected = [](u64 a, u64, bool scc, u64 old) { return ScalarOutcome{scc ? a : old, -1}; };
  }
}

GEAK_CASES(bits) {
  for (const unsigned bits : {32u, 64u}) {
    const std::string w = std::to_string(bits);
    const bool wide = bits == 64;
    auto count = [=](u64 a, u32 value) {
      u32 n = 0;
      for (unsigned k = 0; k < bits; ++k) n += bit(a, k) == value;
      return n;
    };
    // First position, from the bottom or the top, where `stop` holds; -1 if none.
    auto first = [=](bool from_top, auto stop) {
      for (unsigned k = 0; k < bits; ++k)
        if (stop(from_top ? bits - 1 - k : k)) return u64{k};
      return ~u64{0};
    };
    unary("s_bcnt0_i32_b" + w, [=](u64 a) { return nonzero(count(a, 0)); }, wide);
    unary("s_bcnt1_i32_b" + w, [=](u64 a) { return nonzero(count(a, 1)); }, wide);
    unary(
        "s_ff0_i32_b" + w,
        [=](u64 a) {
          return ScalarOutcome{first(false, [=](unsigned k) { return !bit(a, k); }), -1};
        },
        wide);
    unary(
        "s_ff1_i32_b" + w,
        [=](u64 a) {
          return ScalarOutcome{first(false, [=](unsigned k) { return bit(a, k); }), -1};
        },
        wide);
    unary(
        "s_flbit_i32_b" + w,
        [=](u64 a) {
          return ScalarOutcome{first(true, [=](unsigned k) { return bit(a, k); }), -1};
        },
        wide);
    unary(
        wide ? "s_flbit_i32_i64" : "s_flbit_i32",
        [=](u64 a) {
          return ScalarOutcome{
              first(true, [=](unsigned k) { return bit(a, k) != bit(a, bits - 1); }), -1};
        },
        wide);
    unary(
        "s_brev_b" + w,
        [=](u64 a) {
          u64 r = 0;
          for (unsigned k = 0; k < bits; ++k) r |= u64{bit(a, k)} << (bits - 1 - k);
          return ScalarOutcome{r, -1};
        },
        wide, wide);
    unary(
        "s_wqm_b" + w,
        [=](u64 a) {
          u64 r = 0;
          for (unsigned k = 0; k < bits; ++k)
            if (a >> (k & ~3u) & 0xf) r |= u64{1} << k;
          return nonzero(r, bits);
        },
        wide, wide);
    unary(
        "s_quadmask_b" + w,
        [=](u64 a) {
          u64 r = 0;
          for (unsigned k = 0; k < bits; ++k) r |= u64{bit(a, k)} << (k / 4);
          return nonzero(r, bits);
        },
        wide, wide);
    auto field = [=](u64 a, u64 b, bool is_signed) {
      const unsigned offset = b % bits, width = std::min<unsigned>(b >> 16 & 0x7f, bits);
      const Wide value = is_signed ? (wide ? Wide{static_cast<i64>(a)} : Wide{s32(a)}) : Wide{a};
      u64 r = 0;
      for (unsigned k = 0; k < bits && width != 0; ++k) {
        const unsigned from = k < width ? k : is_signed ? width - 1 : 127;
        r |= (static_cast<u64>(value >> std::min(offset + from, 127u)) & 1) << k;
      }
      return nonzero(r, bits);
    };
    binary("s_bfe_u" + w, [=](u64 a, u64 b, bool) { return field(a, b, false); }, bits);
    binary("s_bfe_i" + w, [=](u64 a, u64 b, bool) { return field(a, b, true); }, bits);
    ScalarCase& mask = binary("s_bfm_b" + w, [=](u64 a, u64 b, bool) {
      u64 r = 0;
      for (unsigned k = 0; k < a % bits && k + b % bits < bits; ++k) r |= u64{1} << (k + b % bits);
      return ScalarOutcome{r, -1};
    });
    mask.wide_result = wide;
    for (const bool one : {false, true}) {
      const std::string n = one ? "1" : "0";
      ScalarCase& set =
          unary("s_bitset" + n + "_b" + w, [](u64 a) { return ScalarOutcome{a, -1}; }, false, wide);
      set.expected = [=](u64 a, u64, bool, u64 old) {
        const u64 m = u64{1} << a % bits;
        return ScalarOutcome{one ? old | m : old & ~m, -1};
      };
      ScalarCase& test =
          compare("s_bitcmp" + n + "_b" + w, [=](u64 a, u64 b) { return bit(a, b % bits) == one; });
      test.wide_source[0] = wide;
    }
  }
  unary(
      "s_bitreplicate_b64_b32",
      [](u64 a) {
        u64 r = 0;
        for (unsigned k = 0; k < 64; ++k) r |= u64{bit(a, k / 2)} << k;
        return ScalarOutcome{r, -1};
      },
      false, true);
  unary("s_sext_i32_i8", [](u64 a) {
    return ScalarOutcome{static_cast<u64>(static_cast<i64>(a % 256) - (a & 0x80 ? 256 : 0)), -1};
  });
  unary("s_sext_i32_i16", [](u64 a) {
    return ScalarOutcome{static_cast<u64>(static_cast<i64>(a % 65536) - (a & 0x8000 ? 65536 : 0)),
                         -1};
  });
  binary("s_pack_ll_b32_b16",
         [](u64 a, u64 b, bool) { return ScalarOutcome{a % 65536 + b % 65536 * 65536, -1}; });
  binary("s_pack_lh_b32_b16",
         [](u64 a, u64 b, bool) { return ScalarOutcome{a % 65536 + b / 65536 * 65536, -1}; });
  binary("s_pack_hh_b32_b16",
         [](u64 a, u64 b, bool) { return ScalarOutcome{a / 65536 + b / 65536 * 65536, -1}; });
}

GEAK_CASES(comparisons) {
  struct Relation {
    const char* name;
    bool less, equal, greater;
  };
  static constexpr Relation kRelations[] = {{"eq", 0, 1, 0}, {"lg", 1, 0, 1}, {"gt", 0, 0, 1},
                                            {"ge", 0, 1, 1}, {"lt", 1, 0, 0}, {"le", 1, 1, 0}};
  for (const Relation& r : kRelations) {
    auto outcome = [r](Wide a, Wide b) { return a < b ? r.less : a == b ? r.equal : r.greater; };
    const std::string name = r.name;
    compare("s_cmp_" + name + "_i32", [=](u64 a, u64 b) { return outcome(s32(a), s32(b)); });
    compare("s_cmp_" + name + "_u32", [=](u64 a, u64 b) { return outcome(a, b); });
    if (name == "eq" || name == "lg")
      compare("s_cmp_" + name + "_u64", [=](u64 a, u64 b) { return outcome(a, b); }, true);
    constant(
        "s_cmpk_" + name + "_i32",
        [=](i64 k, u32 old, bool) { return ScalarOutcome{0, outcome(s32(old), k)}; }, false);
    // The unsigned forms extend the constant with zeros.
    constant(
        "s_cmpk_" + name + "_u32",
        [=](i64 k, u32 old, bool) { return ScalarOutcome{0, outcome(old, k)}; }, false)
        .unsigned_constant = true;
  }
}

}  // namespace
}  // namespace geak::emulator::testing

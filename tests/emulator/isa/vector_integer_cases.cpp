// Expected results of integer vector instructions, by 128-bit and bit-at-a-time arithmetic.
#include <algorithm>
#include <bit>

#include "tests/emulator/isa/conformance.h"

namespace geak::emulator::testing {
namespace {

using Wide = __int128;

template <class T>
T clamp_to(Wide x, Wide low, Wide high) {
  return static_cast<T>(std::clamp(x, low, high));
}
u32 u32_of(Wide x) { return clamp_to<u32>(x, 0, 0xffffffff); }
u32 i32_of(Wide x) { return static_cast<u32>(clamp_to<i32>(x, -0x80000000ll, 0x7fffffff)); }
u16 u16_of(Wide x) { return clamp_to<u16>(x, 0, 0xffff); }
i16 i16_of(Wide x) { return clamp_to<i16>(x, -0x8000, 0x7fff); }
i32 s24(u32 x) { return static_cast<i32>((x & 0xffffff) ^ 0x800000) - 0x800000; }
u32 u24(u32 x) { return x % (1u << 24); }
u32 bit(u64 x, unsigned n) { return n < 64 ? static_cast<u32>(x >> n & 1) : 0; }
u32 byte(u64 x, unsigned n) { return static_cast<u32>(x >> (8 * n) & 0xff); }

GEAK_CASES(additions) {
  vector_case("v_add_u32", [](u32 a, u32 b) { return static_cast<u32>(Wide{a} + b); });
  vector_case("v_sub_u32", [](u32 a, u32 b) { return static_cast<u32>(Wide{a} - b); });
  vector_case("v_subrev_u32", [](u32 a, u32 b) { return static_cast<u32>(Wide{b} - a); });
  vector_case("v_add_u32_e64", [](u32 a, u32 b) { return u32_of(Wide{a} + b); }).suffix = "clamp";
  vector_case("v_sub_u32_e64", [](u32 a, u32 b) { return u32_of(Wide{a} - b); }).suffix = "clamp";
  vector_case("v_subrev_u32_e64", [](u32 a, u32 b) { return u32_of(Wide{b} - a); }).suffix =
      "clamp";
  vector_case("v_add_i32", [](i32 a, i32 b) { return static_cast<u32>(Wide{a} + b); });
  vector_case("v_sub_i32", [](i32 a, i32 b) { return static_cast<u32>(Wide{a} - b); });
  vector_case("v_add_i32", [](i32 a, i32 b) { return i32_of(Wide{a} + b); }).suffix = "clamp";
  vector_case("v_sub_i32", [](i32 a, i32 b) { return i32_of(Wide{a} - b); }).suffix = "clamp";
  vector_case("v_add3_u32", [](u32 a, u32 b, u32 c) { return static_cast<u32>(Wide{a} + b + c); });
  vector_case("v_add_lshl_u32", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>((Wide{a} + b) * (Wide{1} << (c % 32)));
  });
  vector_case("v_lshl_add_u32", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(Wide{a} * (Wide{1} << (b % 32)) + c);
  });
  vector_case("v_lshl_add_u64", [](u64 a, u32 b, u64 c) {
    return static_cast<u64>((Wide{static_cast<i64>(a)} << (b % 8)) + static_cast<i64>(c));
  }).archs = {Arch::gfx942};
  vector_case("v_xad_u32", [](u32 a, u32 b, u32 c) { return static_cast<u32>(Wide{a ^ b} + c); });
}

template <class F>
void carry_case(const char* name, F f) {
  vector_case(name, f);
}

GEAK_CASES(carries) {
  using R = WithMask<u32>;
  vector_case("v_add_co_u32", [](u32 a, u32 b) {
    const Wide r = Wide{a} + b;
    return R{static_cast<u32>(r), r > 0xffffffff};
  });
  vector_case("v_sub_co_u32", [](u32 a, u32 b) { return R{a - b, Wide{a} - b < 0}; });
  vector_case("v_subrev_co_u32", [](u32 a, u32 b) { return R{b - a, Wide{b} - a < 0}; });
  vector_case("v_addc_co_u32", [](u32 a, u32 b, bool c) {
    const Wide r = Wide{a} + b + c;
    return R{static_cast<u32>(r), r > 0xffffffff};
  });
  vector_case("v_subb_co_u32", [](u32 a, u32 b, bool c) {
    const Wide r = Wide{a} - b - c;
    return R{static_cast<u32>(r), r < 0};
  });
  vector_case("v_subbrev_co_u32", [](u32 a, u32 b, bool c) {
    const Wide r = Wide{b} - a - c;
    return R{static_cast<u32>(r), r < 0};
  });
  vector_case("v_mad_u64_u32", [](u32 a, u32 b, u64 c) {
    const unsigned __int128 r = static_cast<unsigned __int128>(a) * b + c;
    return WithMask<u64>{static_cast<u64>(r), (r >> 64) != 0};
  });
  vector_case("v_mad_i64_i32", [](i32 a, i32 b, i64 c) {
    const Wide r = Wide{a} * b + c;
    return WithMask<u64>{static_cast<u64>(r), bit(static_cast<u64>(r >> 64), 0) != 0};
  });
  vector_case("v_cndmask_b32", [](u32 a, u32 b, bool c) { return c ? b : a; });
}

GEAK_CASES(products) {
  vector_case("v_mul_lo_u32", [](u32 a, u32 b) { return static_cast<u32>(Wide{a} * b); });
  vector_case("v_mul_hi_u32", [](u32 a, u32 b) { return static_cast<u32>(Wide{a} * b >> 32); });
  vector_case("v_mul_hi_i32", [](i32 a, i32 b) { return static_cast<u32>(Wide{a} * b >> 32); });
  vector_case("v_mul_u32_u24",
              [](u32 a, u32 b) { return static_cast<u32>(Wide{u24(a)} * u24(b)); });
  vector_case("v_mul_hi_u32_u24",
              [](u32 a, u32 b) { return static_cast<u32>(Wide{u24(a)} * u24(b) >> 32); });
  vector_case("v_mul_i32_i24",
              [](u32 a, u32 b) { return static_cast<u32>(Wide{s24(a)} * s24(b)); });
  vector_case("v_mul_hi_i32_i24",
              [](u32 a, u32 b) { return static_cast<u32>(Wide{s24(a)} * s24(b) >> 32); });
  vector_case("v_mad_u32_u24",
              [](u32 a, u32 b, u32 c) { return static_cast<u32>(Wide{u24(a)} * u24(b) + c); });
  vector_case("v_mad_i32_i24",
              [](u32 a, u32 b, u32 c) { return static_cast<u32>(Wide{s24(a)} * s24(b) + c); });
  vector_case("v_mad_u32_u24", [](u32 a, u32 b, u32 c) {
    return u32_of(Wide{u24(a)} * u24(b) + c);
  }).suffix = "clamp";
  vector_case("v_mad_i32_i24", [](u32 a, u32 b, i32 c) {
    return i32_of(Wide{s24(a)} * s24(b) + c);
  }).suffix = "clamp";
  vector_case("v_mad_u32_u16",
              [](u16 a, u16 b, u32 c) { return static_cast<u32>(Wide{a} * b + c); });
  vector_case("v_mad_i32_i16",
              [](i16 a, i16 b, i32 c) { return static_cast<u32>(Wide{a} * b + c); });
}

template <class T>
void ordering_cases(const std::string& type) {
  auto name = [&](const char* stem) { return std::string(stem) + type; };
  constexpr bool kHalf = sizeof(T) == 2;
  vector_case(name("v_min_"), [](T a, T b) { return std::min(a, b); });
  vector_case(name("v_max_"), [](T a, T b) { return std::max(a, b); });
  vector_case(name("v_min3_"), [](T a, T b, T c) { return std::min({a, b, c}); }).keeps_high_half =
      kHalf;
  vector_case(name("v_max3_"), [](T a, T b, T c) { return std::max({a, b, c}); }).keeps_high_half =
      kHalf;
  vector_case(name("v_med3_"), [](T a, T b, T c) {
    T sorted[] = {a, b, c};
    std::sort(sorted, sorted + 3);
    return sorted[1];
  }).keeps_high_half = kHalf;
}

GEAK_CASES(orderings) {
  ordering_cases<i32>("i32");
  ordering_cases<u32>("u32");
  ordering_cases<i16>("i16");
  ordering_cases<u16>("u16");
}

GEAK_CASES(logic) {
  vector_case("v_and_b32", [](u32 a, u32 b) { return a & b; });
  vector_case("v_or_b32", [](u32 a, u32 b) { return a | b; });
  vector_case("v_xor_b32", [](u32 a, u32 b) { return a ^ b; });
  vector_case("v_xnor_b32", [](u32 a, u32 b) { return ~a ^ b; });
  vector_case("v_not_b32", [](u32 a) { return 0xffffffff - a; });
  vector_case("v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; });
  vector_case("v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; });
  vector_case("v_lshl_or_b32", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(u64{a} * (u64{1} << (b % 32))) | c;
  });
  vector_case("v_mov_b32", [](u32 a) { return a; });
  vector_case("v_mov_b64", [](u64 a) { return a; }).archs = {Arch::gfx942};
  vector_case("v_bfi_b32", [](u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (unsigned n = 0; n < 32; ++n) r |= bit(bit(a, n) ? b : c, n) << n;
    return r;
  });
}

GEAK_CASES(shifts) {
  vector_case("v_lshlrev_b32", [](u32 a, u32 b) { return static_cast<u32>(u64{b} << (a % 32)); });
  vector_case("v_lshrrev_b32", [](u32 a, u32 b) { return static_cast<u32>(u64{b} >> (a % 32)); });
  vector_case("v_ashrrev_i32", [](u32 a, i32 b) { return static_cast<u32>(i64{b} >> (a % 32)); });
  vector_case("v_lshlrev_b64", [](u32 a, u64 b) {
    return static_cast<u64>(static_cast<unsigned __int128>(b) << (a % 64));
  });
  vector_case("v_lshrrev_b64", [](u32 a, u64 b) { return b >> (a % 64); });
  vector_case("v_ashrrev_i64", [](u32 a, i64 b) { return static_cast<u64>(Wide{b} >> (a % 64)); });
  vector_case("v_lshlrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b << (a % 16)); });
  vector_case("v_lshrrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b >> (a % 16)); });
  vector_case("v_ashrrev_i16", [](u16 a, i16 b) { return static_cast<u16>(i32{b} >> (a % 16)); });
  vector_case("v_alignbit_b32",
              [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (c % 32)); });
  vector_case("v_alignbyte_b32", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>((u64{a} << 32 | b) >> (c % 4 * 8));
  });
}

GEAK_CASES(bit_fields) {
  vector_case("v_bfe_u32", [](u32 a, u32 offset, u32 width) {
    u32 r = 0;
    for (unsigned n = 0; n < width % 32; ++n) r |= bit(a, offset % 32 + n) << n;
    return r;
  });
  vector_case("v_bfe_i32", [](i32 a, u32 offset, u32 width) {
    const u32 size = width % 32;
    const i64 wide = i64{a} >> (offset % 32);
    u32 r = 0;
    for (unsigned n = 0; n < 32 && size != 0; ++n)
      r |= bit(static_cast<u64>(wide), std::min(n, size - 1)) << n;
    return r;
  });
  vector_case("v_bfm_b32", [](u32 a, u32 b) {
    u32 r = 0;
    for (unsigned n = 0; n < a % 32 && n + b % 32 < 32; ++n) r |= 1u << (n + b % 32);
    return r;
  });
  vector_case("v_bfrev_b32", [](u32 a) {
    u32 r = 0;
    for (unsigned n = 0; n < 32; ++n) r |= bit(a, n) << (31 - n);
    return r;
  });
  vector_case("v_bcnt_u32_b32", [](u32 a, u32 b) {
    for (unsigned n = 0; n < 32; ++n) b += bit(a, n);
    return b;
  });
  vector_case("v_ffbh_u32", [](u32 a) {
    for (unsigned n = 0; n < 32; ++n)
      if (bit(a, 31 - n)) return n;
    return ~0u;
  });
  vector_case("v_ffbl_b32", [](u32 a) {
    for (unsigned n = 0; n < 32; ++n)
      if (bit(a, n)) return n;
    return ~0u;
  });
  vector_case("v_ffbh_i32", [](u32 a) {
    for (unsigned n = 1; n < 32; ++n)
      if (bit(a, 31 - n) != bit(a, 31)) return n;
    return ~0u;
  });
}

GEAK_CASES(shorts) {
  vector_case("v_add_u16", [](u16 a, u16 b) { return static_cast<u16>(Wide{a} + b); });
  vector_case("v_sub_u16", [](u16 a, u16 b) { return static_cast<u16>(Wide{a} - b); });
  vector_case("v_subrev_u16", [](u16 a, u16 b) { return static_cast<u16>(Wide{b} - a); });
  vector_case("v_add_u16_e64", [](u16 a, u16 b) { return u16_of(Wide{a} + b); }).suffix = "clamp";
  vector_case("v_sub_u16_e64", [](u16 a, u16 b) { return u16_of(Wide{a} - b); }).suffix = "clamp";
  vector_case("v_mul_lo_u16", [](u16 a, u16 b) { return static_cast<u16>(Wide{a} * b); });
  vector_case("v_mad_legacy_u16",
              [](u16 a, u16 b, u16 c) { return static_cast<u16>(Wide{a} * b + c); });
  vector_case("v_mad_legacy_i16",
              [](i16 a, i16 b, i16 c) { return static_cast<u16>(Wide{a} * b + c); });
  vector_case("v_mad_u16", [](u16 a, u16 b, u16 c) {
    return static_cast<u16>(Wide{a} * b + c);
  }).keeps_high_half = true;
  vector_case("v_mad_i16", [](i16 a, i16 b, i16 c) {
    return static_cast<u16>(Wide{a} * b + c);
  }).keeps_high_half = true;
  vector_case("v_add_i16", [](i16 a, i16 b) {
    return static_cast<u16>(Wide{a} + b);
  }).keeps_high_half = true;
  vector_case("v_sub_i16", [](i16 a, i16 b) {
    return static_cast<u16>(Wide{a} - b);
  }).keeps_high_half = true;
  VectorCase& add = vector_case("v_add_i16", [](i16 a, i16 b) { return i16_of(Wide{a} + b); });
  add.suffix = "clamp";
  add.keeps_high_half = true;
  vector_case("v_sat_pk_u8_i16", [](u32 a) {
    const auto sat = [](u32 x) { return std::clamp<i32>(static_cast<i16>(x), 0, 255); };
    return static_cast<u16>(sat(a & 0xffff) | sat(a >> 16) << 8);
  });
}

u32 absolute_difference(u32 a, u32 b) { return static_cast<u32>(std::abs(i64{a} - i64{b})); }

u32 sad(u32 a, u32 b, u32 c, bool masked) {
  for (unsigned n = 0; n < 4; ++n)
    if (!masked || byte(b, n) != 0) c += absolute_difference(byte(a, n), byte(b, n));
  return c;
}

u64 quad_sad(u64 a, u32 b, u64 c, bool masked) {
  u64 r = 0;
  for (unsigned n = 0; n < 4; ++n)
    r |= u64{sad(static_cast<u32>(a >> 8 * n), b, static_cast<u32>(c >> 16 * n) & 0xffff, masked) &
             0xffff}
         << 16 * n;
  return r;
}

GEAK_CASES(bytes) {
  vector_case("v_sad_u8", [](u32 a, u32 b, u32 c) { return sad(a, b, c, false); });
  vector_case("v_msad_u8", [](u32 a, u32 b, u32 c) { return sad(a, b, c, true); });
  vector_case("v_sad_hi_u8", [](u32 a, u32 b, u32 c) { return sad(a, b, 0, false) * 65536 + c; });
  vector_case("v_sad_u16", [](u32 a, u32 b, u32 c) {
    return absolute_difference(a % 65536, b % 65536) + absolute_difference(a / 65536, b / 65536) +
           c;
  });
  vector_case("v_sad_u32", [](u32 a, u32 b, u32 c) { return absolute_difference(a, b) + c; });
  vector_case("v_qsad_pk_u16_u8", [](u64 a, u32 b, u64 c) { return quad_sad(a, b, c, false); });
  vector_case("v_mqsad_pk_u16_u8", [](u64 a, u32 b, u64 c) { return quad_sad(a, b, c, true); });
  vector_case("v_perm_b32", [](u32 a, u32 b, u32 s) {
    const u64 data = u64{a} << 32 | b;
    u32 r = 0;
    for (unsigned n = 0; n < 4; ++n) {
      const u32 k = byte(s, n);
      u32 chosen = 0xff;
      if (k < 8)
        chosen = byte(data, k);
      else if (k < 12)
        chosen = byte(data, 2 * (k - 8) + 1) >= 0x80 ? 0xff : 0;
      else if (k == 12)
        chosen = 0;
      r |= chosen << 8 * n;
    }
    return r;
  });
  vector_case("v_lerp_u8", [](u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (unsigned n = 0; n < 4; ++n) r |= (byte(a, n) + byte(b, n) + byte(c, n) % 2) / 2 << 8 * n;
    return r;
  });
}

// Fields of `width` bits as numbers.
Wide dot(u32 a, u32 b, unsigned width, bool is_signed) {
  Wide sum = 0;
  for (unsigned n = 0; n < 32 / width; ++n) {
    auto field = [&](u32 x) {
      const i64 value = x >> (width * n) & ((1u << width) - 1);
      return is_signed && value >> (width - 1) ? value - (i64{1} << width) : value;
    };
    sum += Wide{field(a)} * field(b);
  }
  return sum;
}

GEAK_CASES(dots) {
  auto is_gfx90a_and_942 = [](VectorCase& test) { test.archs = {Arch::gfx90a, Arch::gfx942}; };
  auto cases = [&](const std::string& name, unsigned width, bool is_signed, bool accumulates) {
    is_gfx90a_and_942(vector_case(name, [=](u32 a, u32 b, u32 c) {
      return static_cast<u32>(dot(a, b, width, is_signed) + c);
    }));
    vector_cases().back().accumulates = accumulates;
    if (accumulates) return;
    vector_case(name, [=](u32 a, u32 b, u32 c) {
      return is_signed ? i32_of(dot(a, b, width, true) + static_cast<i32>(c))
                       : u32_of(dot(a, b, width, false) + c);
    }).suffix = "clamp";
  };
  cases("v_dot2_i32_i16", 16, true, false);
  cases("v_dot2_u32_u16", 16, false, false);
  cases("v_dot4_i32_i8", 8, true, false);
  cases("v_dot4_u32_u8", 8, false, false);
  cases("v_dot8_i32_i4", 4, true, false);
  cases("v_dot8_u32_u4", 4, false, false);
  cases("v_dot2c_i32_i16", 16, true, true);
  cases("v_dot4c_i32_i8", 8, true, true);
  cases("v_dot8c_i32_i4", 4, true, true);
}

template <class T>
void comparison_cases(const std::string& type, const std::string& family) {
  auto name = [&](const char* relation) { return family + relation + "_" + type; };
  vector_case(name("f"), [](T, T) { return false; });
  vector_case(name("lt"), [](T a, T b) { return Wide{a} - b < 0; });
  vector_case(name("eq"), [](T a, T b) { return Wide{a} - b == 0; });
  vector_case(name("le"), [](T a, T b) { return Wide{a} - b <= 0; });
  vector_case(name("gt"), [](T a, T b) { return Wide{a} - b > 0; });
  vector_case(name("ne"), [](T a, T b) { return Wide{a} - b != 0; });
  vector_case(name("ge"), [](T a, T b) { return Wide{a} - b >= 0; });
  vector_case(name("t"), [](T, T) { return true; });
}

GEAK_CASES(comparisons) {
  for (const char* family : {"v_cmp_", "v_cmpx_"}) {
    comparison_cases<i16>("i16", family);
    comparison_cases<u16>("u16", family);
    comparison_cases<i32>("i32", family);
    comparison_cases<u32>("u32", family);
    comparison_cases<i64>("i64", family);
    comparison_cases<u64>("u64", family);
  }
}

// Two halves as one dword: f is applied to each.
template <class T, class F>
auto both_halves(F f) {
  return [f](u32 a, u32 b) {
    const u32 low = static_cast<u16>(f(static_cast<T>(a), static_cast<T>(b)));
    const u32 high = static_cast<u16>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return low | high << 16;
  };
}
template <class T, class F>
auto both_halves3(F f) {
  return [f](u32 a, u32 b, u32 c) {
    const u32 low = static_cast<u16>(f(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)));
    const u32 high = static_cast<u16>(
        f(static_cast<T>(a >> 16), static_cast<T>(b >> 16), static_cast<T>(c >> 16)));
    return low | high << 16;
  };
}

GEAK_CASES(packed) {
  vector_case("v_pk_add_u16", both_halves<u16>([](i64 a, i64 b) { return a + b; }));
  vector_case("v_pk_sub_u16", both_halves<u16>([](i64 a, i64 b) { return a - b; }));
  vector_case("v_pk_add_i16", both_halves<i16>([](i64 a, i64 b) { return a + b; }));
  vector_case("v_pk_sub_i16", both_halves<i16>([](i64 a, i64 b) { return a - b; }));
  vector_case("v_pk_add_u16", both_halves<u16>([](i64 a, i64 b) { return u16_of(a + b); })).suffix =
      "clamp";
  vector_case("v_pk_sub_u16", both_halves<u16>([](i64 a, i64 b) { return u16_of(a - b); })).suffix =
      "clamp";
  vector_case("v_pk_add_i16", both_halves<i16>([](i64 a, i64 b) { return i16_of(a + b); })).suffix =
      "clamp";
  vector_case("v_pk_sub_i16", both_halves<i16>([](i64 a, i64 b) { return i16_of(a - b); })).suffix =
      "clamp";
  vector_case("v_pk_mul_lo_u16", both_halves<u16>([](i64 a, i64 b) { return a * b; }));
  vector_case("v_pk_mad_u16", both_halves3<u16>([](i64 a, i64 b, i64 c) { return a * b + c; }));
  vector_case("v_pk_mad_i16", both_halves3<i16>([](i64 a, i64 b, i64 c) { return a * b + c; }));
  vector_case("v_pk_min_i16", both_halves<i16>([](i64 a, i64 b) { return std::min(a, b); }));
  vector_case("v_pk_max_i16", both_halves<i16>([](i64 a, i64 b) { return std::max(a, b); }));
  vector_case("v_pk_min_u16", both_halves<u16>([](i64 a, i64 b) { return std::min(a, b); }));
  vector_case("v_pk_max_u16", both_halves<u16>([](i64 a, i64 b) { return std::max(a, b); }));
  vector_case("v_pk_lshlrev_b16", both_halves<u16>([](i64 a, i64 b) { return b << (a % 16); }));
  vector_case("v_pk_lshrrev_b16", both_halves<u16>([](i64 a, i64 b) { return b >> (a % 16); }));
  vector_case("v_pk_ashrrev_i16", both_halves<i16>([](i64 a, i64 b) { return b >> (a & 15); }));
  // op_sel exchanges the halves of the first source.
  vector_case("v_pk_sub_u16", [](u32 a, u32 b) {
    return static_cast<u32>(static_cast<u16>((a >> 16) - (b & 0xffff))) |
           static_cast<u32>(static_cast<u16>((a & 0xffff) - (b >> 16))) << 16;
  }).suffix = "op_sel:[1,0] op_sel_hi:[0,1]";
  vector_case("v_pk_mov_b32", [](u64 a, u64 b) { return (a & 0xffffffff) | (b << 32); }).suffix =
      "op_sel:[0,0]";
  vector_case("v_pk_mov_b32", [](u64 a, u64 b) { return a >> 32 | (b >> 32) << 32; }).suffix =
      "op_sel:[1,1]";
}

}  // namespace
}  // namespace geak::emulator::testing

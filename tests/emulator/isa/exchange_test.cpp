// Compare and store, wrapping and conditional exchanges, packed additions, loads into LDS.
#include <cmath>

#include "tests/emulator/isa/memory_fixture.h"

namespace geak::emulator::testing {
namespace {

// In every other lane the comparison holds.
class CompareStores : public Memory {
 protected:
  void prepare(u64) override {
    for (unsigned l = 0; l < kLanes; l += 2)
      for (unsigned n = 0; n < bytes_ / 4; ++n) m.v(4 + n)[l] = word(l * kSlot + 4 * n);
  }
  template <class T>
  void check(const std::string& line, bool returns) {
    bytes_ = sizeof(T);
    Random random(37);
    for (const u64 exec : kExecs) {
      ASSERT_TRUE(run(line, true, random, exec)) << m.error();
      for (unsigned l = 0; l < kLanes; ++l) {
        const u64 old = read(before_, l, bytes_), compared = pair(4, l, bytes_);
        const bool stores = (exec >> l & 1) && from_bits<T>(old) == from_bits<T>(compared);
        EXPECT_EQ(read(memory_, l, bytes_), stores ? pair(6, l, bytes_) : old)
            << line << " lane " << l;
        if (returns && (exec >> l & 1)) EXPECT_EQ(pair(20, l, bytes_), old) << line;
      }
    }
  }
  unsigned bytes_ = 4;
};

TEST_P(CompareStores, ByTypeOfTheComparison) {
  check<u32>("ds_cmpst_b32 v2, v4, v6", false);
  check<u64>("ds_cmpst_b64 v2, v[4:5], v[6:7]", false);
  check<float>("ds_cmpst_f32 v2, v4, v6", false);
  check<double>("ds_cmpst_f64 v2, v[4:5], v[6:7]", false);
  check<float>("ds_cmpst_rtn_f32 v20, v2, v4, v6", true);
  check<double>("ds_cmpst_rtn_f64 v[20:21], v2, v[4:5], v[6:7]", true);
}

class Exchanges : public Memory {};

TEST_P(Exchanges, Wrap) {
  Random random(41);
  const std::string line = "ds_wrap_rtn_b32 v20, v2, v4, v6";
  for (const u64 exec : kExecs) {
    ASSERT_TRUE(run(line, true, random, exec)) << m.error();
    for (unsigned l = 0; l < kLanes; ++l) {
      const u32 old = static_cast<u32>(read(before_, l, 4)), a = m.v(4)[l], b = m.v(6)[l];
      const bool active = exec >> l & 1;
      EXPECT_EQ(word(l * kSlot), !active ? old : old < a ? old + b : old - a) << "lane " << l;
      if (active) EXPECT_EQ(m.v(20)[l], old);
    }
  }
}

TEST_P(Exchanges, ConditionalOnTheTopBitOfEachDword) {
  Random random(43);
  const std::string line = "ds_condxchg32_rtn_b64 v[20:21], v2, v[4:5] offset:12";  // reads at 8
  for (const u64 exec : kExecs) {
    ASSERT_TRUE(run(line, true, random, exec)) << m.error();
    for (unsigned l = 0; l < kLanes; ++l) {
      for (unsigned n = 0; n < 2; ++n) {
        u32 old;
        std::memcpy(&old, before_ + l * kSlot + 8 + 4 * n, 4);
        const i32 data = static_cast<i32>(m.v(4 + n)[l]);
        const bool active = exec >> l & 1;
        EXPECT_EQ(word(l * kSlot + 8 + 4 * n),
                  active && data < 0 ? static_cast<u32>(data) - 0x80000000u : old)
            << "lane " << l;
        if (active) EXPECT_EQ(m.v(20 + n)[l], old);
      }
    }
  }
}

TEST_P(Exchanges, PairsOfDistantElements) {
  Random random(47);
  ASSERT_TRUE(run("ds_wrxchg2st64_rtn_b32 v[20:21], v2, v4, v6 offset0:0 offset1:1", true, random,
                  u64{1} << 5));
  EXPECT_EQ(word(5 * kSlot), m.v(4)[5]);
  EXPECT_EQ(word(5 * kSlot + 256), m.v(6)[5]);
  EXPECT_EQ(m.v(20)[5], read(before_, 5, 4));
  EXPECT_EQ(m.v(21)[5], read(before_ + 256, 5, 4));
  ASSERT_TRUE(run("ds_wrxchg2st64_rtn_b64 v[20:23], v2, v[4:5], v[6:7] offset0:0 offset1:1", true,
                  random, u64{1} << 5));
  EXPECT_EQ(read(memory_, 5, 8), pair(4, 5, 8));
  EXPECT_EQ(read(memory_ + 512, 5, 8), pair(6, 5, 8));
  EXPECT_EQ(pair(20, 5, 8), read(before_, 5, 8));
  EXPECT_EQ(pair(22, 5, 8), read(before_ + 512, 5, 8));
}

// The 16-bit float nearest to x, ties to even, by trying all: `value` maps bits to what they mean.
template <class Value>
u16 nearest(double x, Value value) {
  if (std::isnan(x)) return 0x7fff;
  const u16 sign = std::signbit(x) ? 0x8000 : 0;
  u16 low = 0, high = 0x7fff;
  // The magnitudes ascend with the bits up to the infinity.
  while (std::isnan(value(high)) || std::isinf(value(high))) --high;
  const u16 largest = high;
  const double most = value(largest), step = most - value(static_cast<u16>(largest - 1));
  if (std::fabs(x) >= most + step / 2) return sign | static_cast<u16>(largest + 1);
  while (low < high) {
    const u16 middle = static_cast<u16>((low + high + 1) / 2);
    if (value(middle) <= std::fabs(x))
      low = middle;
    else
      high = static_cast<u16>(middle - 1);
  }
  const double below = std::fabs(x) - value(low),
               above = low == largest ? below + 1 : value(static_cast<u16>(low + 1)) - std::fabs(x);
  return sign | static_cast<u16>(low + (above < below || (above == below && (low & 1))));
}

double half_value(u16 bits) { return static_cast<double>(from_bits<Half>(bits)); }
double brain_value(u16 bits) { return static_cast<double>(from_bits<float>(u64{bits} << 16)); }

class PackedAdds : public Memory {
 protected:
  void prepare(u64) override {
    for (unsigned l = 0; l < kLanes; ++l) data_[l] = m.v(4)[l];
  }
  // False: the target has no such instruction.
  bool check(const std::string& line, bool is_lds, double (*value)(u16), int result_row = -1) {
    Random random(53);
    for (const u64 exec : kExecs) {
      if (!run(line, is_lds, random, exec)) return false;
      for (unsigned l = 0; l < kLanes; ++l) {
        const u64 old = read(before_, l, 4), now = read(memory_, l, 4);
        if (!(exec >> l & 1)) {
          EXPECT_EQ(now, old) << line;
          continue;
        }
        for (unsigned shift : {0u, 16u}) {
          const auto half = [&](u64 bits) { return static_cast<u16>(bits >> shift); };
          const double sum = value(half(old)) + value(half(data_[l]));
          const bool both_nan = std::isnan(sum) && std::isnan(value(half(now)));
          EXPECT_TRUE(both_nan || half(now) == nearest(sum, value))
              << line << std::hex << " of " << half(old) << ", " << half(data_[l]) << " is "
              << half(now) << ", expected " << nearest(sum, value);
        }
        if (result_row >= 0) EXPECT_EQ(m.v(static_cast<unsigned>(result_row))[l], old) << line;
      }
    }
    return true;
  }
  u32 data_[kLanes];
};

TEST_P(PackedAdds, RoundOnce) {
  EXPECT_TRUE(check("global_atomic_pk_add_f16 v[2:3], v4, off", false, half_value)) << m.error();
  EXPECT_TRUE(check("buffer_atomic_pk_add_f16 v4, v2, s[8:11], 0 offen", false, half_value))
      << m.error();
  if (GetParam() == Arch::gfx90a) return;
  EXPECT_TRUE(check("flat_atomic_pk_add_f16 v[2:3], v4", false, half_value)) << m.error();
  EXPECT_TRUE(check("ds_pk_add_f16 v2, v4", true, half_value)) << m.error();
  EXPECT_TRUE(check("ds_pk_add_rtn_f16 v20, v2, v4", true, half_value, 20)) << m.error();
  EXPECT_TRUE(check("global_atomic_pk_add_bf16 v[2:3], v4, off", false, brain_value)) << m.error();
  EXPECT_TRUE(check("flat_atomic_pk_add_bf16 v[2:3], v4", false, brain_value)) << m.error();
  EXPECT_TRUE(check("ds_pk_add_bf16 v2, v4", true, brain_value)) << m.error();
  EXPECT_TRUE(check("ds_pk_add_rtn_bf16 v20, v2, v4", true, brain_value, 20)) << m.error();
}

// Into LDS at M0 plus 4 times the lane: behind the lanes' own memory.
TEST_P(Exchanges, LoadsIntoLds) {
  if (GetParam() == Arch::gfx90a) {
    EXPECT_FALSE(m.load(Arch::gfx90a, "global_load_lds_dword v2, s[12:13]"))
        << "gfx942 has it alone";
    return;
  }
  constexpr unsigned kTarget = 0x800;
  struct Load {
    const char* name;
    u32 (*extend)(u64 bits);
  };
  const Load loads[] = {
      {"global_load_lds_dword", [](u64 x) { return static_cast<u32>(x); }},
      {"global_load_lds_ubyte", [](u64 x) { return static_cast<u32>(x % 256); }},
      {"global_load_lds_sbyte",
       [](u64 x) { return static_cast<u32>(static_cast<i32>(static_cast<std::int8_t>(x))); }},
      {"global_load_lds_ushort", [](u64 x) { return static_cast<u32>(x % 65536); }},
      {"global_load_lds_sshort",
       [](u64 x) { return static_cast<u32>(static_cast<i32>(static_cast<i16>(x))); }}};
  Random random(59);
  for (const Load& load : loads) {
    for (const u64 exec : kExecs) {
      const std::string line = std::string("s_mov_b32 m0, 0x800\n") + load.name + " v2, s[12:13]";
      ASSERT_TRUE(run(line, true, random, exec)) << m.error();
      for (unsigned l = 0; l < kLanes; ++l) {
        const u32 old = static_cast<u32>(read(before_ + kTarget + 4 * l, 0, 4));
        EXPECT_EQ(word(kTarget + 4 * l), exec >> l & 1 ? load.extend(read(before_, l, 8)) : old)
            << line << " lane " << l;
      }
    }
  }
}

// Cache hints: nothing that a program can see.
TEST_P(Exchanges, HintsChangeNothing) {
  Random random(61);
  for (const char* line : {"s_dcache_discard s[12:13], 0x0", "s_dcache_discard_x2 s[12:13], 0x0",
                           "s_atc_probe 7, s[12:13], 0x0", "s_atc_probe_buffer 7, s[8:11], 0x0"}) {
    ASSERT_TRUE(run(line, false, random, ~u64{0})) << line << m.error();
    EXPECT_EQ(std::memcmp(before_, memory_, kBytes), 0) << line;
    EXPECT_EQ(m.v(20)[7], 0xdead0014u) << line;
  }
}

const auto kArchs = ::testing::Values(Arch::gfx90a, Arch::gfx942);
INSTANTIATE_TEST_SUITE_P(Targets, CompareStores, kArchs);
INSTANTIATE_TEST_SUITE_P(Targets, Exchanges, kArchs);
INSTANTIATE_TEST_SUITE_P(Targets, PackedAdds, kArchs);

}  // namespace
}  // namespace geak::emulator::testing

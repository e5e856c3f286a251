// Loads, stores and atomic operations of each address space against memory of the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "tests/emulator/isa/memory_fixture.h"

namespace geak::emulator::testing {
namespace {

struct AtomicCase {
  const char* global;  // suffix of global_atomic_, flat_atomic_, buffer_atomic_; "" if none
  const char* lds;     // of ds_, with a % where _rtn goes; "" if none
  unsigned bytes;
  Type type;  // of the values, for NaNs
  u64 (*f)(u64 old, u64 data);
};

i32 s32(u64 x) { return static_cast<i32>(x); }
i64 s64(u64 x) { return static_cast<i64>(x); }
u64 low(u64 x) { return x & 0xffffffff; }
template <class T>
u64 lesser(u64 a, u64 b) {
  return from_bits<T>(b) < from_bits<T>(a) ? b : a;
}
template <class T>
u64 sum(u64 a, u64 b) {
  return to_bits(static_cast<T>(from_bits<T>(a) + from_bits<T>(b)));
}
// A number wins over a NaN; -0 is less than +0.
template <class T>
u64 float_least(u64 a, u64 b) {
  const T x = from_bits<T>(a), y = from_bits<T>(b);
  if (x == y) return std::signbit(x) ? a : b;
  return to_bits(std::isnan(x) ? y : std::isnan(y) ? x : x < y ? x : y);
}
template <class T>
u64 float_most(u64 a, u64 b) {
  const T x = from_bits<T>(a), y = from_bits<T>(b);
  if (x == y) return std::signbit(x) ? b : a;
  return to_bits(std::isnan(x) ? y : std::isnan(y) ? x : x > y ? x : y);
}

const AtomicCase kAtomics[] = {
    {"swap", "wrxchg%_b32", 4, Type::b32, [](u64, u64 b) { return b; }},
    {"add", "add%_u32", 4, Type::b32, [](u64 a, u64 b) { return low(a + b); }},
    {"sub", "sub%_u32", 4, Type::b32, [](u64 a, u64 b) { return low(a - b); }},
    {"", "rsub%_u32", 4, Type::b32, [](u64 a, u64 b) { return low(b - a); }},
    {"smin", "min%_i32", 4, Type::b32, [](u64 a, u64 b) { return s32(a) < s32(b) ? a : b; }},
    {"umin", "min%_u32", 4, Type::b32, [](u64 a, u64 b) { return std::min(a, b); }},
    {"smax", "max%_i32", 4, Type::b32, [](u64 a, u64 b) { return s32(a) > s32(b) ? a : b; }},
    {"umax", "max%_u32", 4, Type::b32, [](u64 a, u64 b) { return std::max(a, b); }},
    {"and", "and%_b32", 4, Type::b32, [](u64 a, u64 b) { return a & b; }},
    {"or", "or%_b32", 4, Type::b32, [](u64 a, u64 b) { return a | b; }},
    {"xor", "xor%_b32", 4, Type::b32, [](u64 a, u64 b) { return a ^ b; }},
    {"inc", "inc%_u32", 4, Type::b32, [](u64 a, u64 b) { return a >= b ? 0 : a + 1; }},
    {"dec", "dec%_u32", 4, Type::b32, [](u64 a, u64 b) { return a == 0 || a > b ? b : a - 1; }},
    {"swap_x2", "wrxchg%_b64", 8, Type::b64, [](u64, u64 b) { return b; }},
    {"add_x2", "add%_u64", 8, Type::b64, [](u64 a, u64 b) { return a + b; }},
    {"sub_x2", "sub%_u64", 8, Type::b64, [](u64 a, u64 b) { return a - b; }},
    {"", "rsub%_u64", 8, Type::b64, [](u64 a, u64 b) { return b - a; }},
    {"smin_x2", "min%_i64", 8, Type::b64, [](u64 a, u64 b) { return s64(a) < s64(b) ? a : b; }},
    {"umin_x2", "min%_u64", 8, Type::b64, [](u64 a, u64 b) { return std::min(a, b); }},
    {"smax_x2", "max%_i64", 8, Type::b64, [](u64 a, u64 b) { return s64(a) > s64(b) ? a : b; }},
    {"umax_x2", "max%_u64", 8, Type::b64, [](u64 a, u64 b) { return std::max(a, b); }},
    {"and_x2", "and%_b64", 8, Type::b64, [](u64 a, u64 b) { return a & b; }},
    {"or_x2", "or%_b64", 8, Type::b64, [](u64 a, u64 b) { return a | b; }},
    {"xor_x2", "xor%_b64", 8, Type::b64, [](u64 a, u64 b) { return a ^ b; }},
    {"inc_x2", "inc%_u64", 8, Type::b64, [](u64 a, u64 b) { return a >= b ? 0 : a + 1; }},
    {"dec_x2", "dec%_u64", 8, Type::b64, [](u64 a, u64 b) { return a == 0 || a > b ? b : a - 1; }},
    {"add_f32", "add%_f32", 4, Type::f32, sum<float>},
    {"add_f64", "add%_f64", 8, Type::f64, sum<double>},
    {"min_f64", "min%_f64", 8, Type::f64, float_least<double>},
    {"max_f64", "max%_f64", 8, Type::f64, float_most<double>},
    {"", "min%_f32", 4, Type::f32, float_least<float>},
    {"", "max%_f32", 4, Type::f32, float_most<float>}};

bool same(Type type, u64 got, u64 want) {
  const bool both_nan =
      type == Type::f32 ? std::isnan(from_bits<float>(got)) && std::isnan(from_bits<float>(want))
      : type == Type::f64
          ? std::isnan(from_bits<double>(got)) && std::isnan(from_bits<double>(want))
          : false;
  return got == want || both_nan;
}

class Atomics : public Memory {
 protected:
  // `returns`: the old value must be in `result_row`. False: the target has no such instruction.
  bool check(const AtomicCase& test, const std::string& line, bool is_lds, bool returns,
             unsigned result_row) {
    Random random(7);
    for (const u64 exec : kExecs) {
      if (!run(line, is_lds, random, exec)) return false;
      for (unsigned l = 0; l < kLanes; ++l) {
        const u64 old = read(before_, l, test.bytes), now = read(memory_, l, test.bytes);
        if (!(exec >> l & 1)) {
          EXPECT_EQ(now, old) << line << ": an inactive lane wrote";
          continue;
        }
        const u64 data = data_[l] & (test.bytes == 8 ? ~u64{0} : 0xffffffff);
        EXPECT_TRUE(same(test.type, now, test.f(old, data)))
            << line << std::hex << " of " << old << ", " << data << " is " << now << ", expected "
            << test.f(old, data);
        if (returns) EXPECT_EQ(pair(result_row, l, test.bytes), old) << line;
      }
    }
    return true;
  }
  void prepare(u64) override {
    for (unsigned l = 0; l < kLanes; ++l) data_[l] = m.v(4)[l] | u64{m.v(5)[l]} << 32;
  }
  u64 data_[kLanes];
};

void tested(const std::string& mnemonic) { other_tested().push_back(mnemonic); }

// Names for the coverage page: what the tests below assemble.
GEAK_CASES(names) {
  for (const AtomicCase& test : kAtomics) {
    if (*test.global)
      for (const char* family : {"global_atomic_", "flat_atomic_", "buffer_atomic_"})
        tested(std::string(family) + test.global);
    std::string lds = test.lds;
    const std::size_t mark = lds.find('%');
    tested("ds_" + std::string(lds).replace(mark, 1, "_rtn"));
    tested("ds_" + std::string(lds).replace(mark, 1, ""));
  }
  for (const AtomicCase& test : kAtomics) {
    if (!*test.global || test.type == Type::f32 || test.type == Type::f64) continue;
    tested(std::string("s_atomic_") + test.global);
    tested(std::string("s_buffer_atomic_") + test.global);
  }
  for (const char* name : {"s_load_dword", "s_buffer_load_dword"})
    for (const char* width : {"", "x2", "x4", "x8", "x16"}) tested(std::string(name) + width);
  for (const char* name : {"s_store_dword", "s_buffer_store_dword"})
    for (const char* width : {"", "x2", "x4"}) tested(std::string(name) + width);
  for (const char* family : {"global_", "flat_", "buffer_"}) {
    for (const char* name :
         {"load_ubyte",     "load_sbyte",         "load_ushort",    "load_sshort",
          "load_ubyte_d16", "load_ubyte_d16_hi",  "load_sbyte_d16", "load_sbyte_d16_hi",
          "load_short_d16", "load_short_d16_hi",  "load_dword",     "load_dwordx2",
          "load_dwordx3",   "load_dwordx4",       "store_byte",     "store_byte_d16_hi",
          "store_short",    "store_short_d16_hi", "store_dword",    "store_dwordx2",
          "store_dwordx3",  "store_dwordx4"})
      tested(std::string(family) + name);
  }
}

TEST_P(Atomics, OnEachAddressSpace) {
  const std::string glc = GetParam() == Arch::gfx942 ? " sc0" : " glc";
  for (const AtomicCase& test : kAtomics) {
    const unsigned dwords = test.bytes / 4;
    const std::string data = data_register(4, dwords), result = data_register(20, dwords);
    if (*test.global) {
      const std::string name = std::string("_atomic_") + test.global + " ";
      // The f32 and f64 forms with a result do not exist everywhere; without one they do.
      const bool plain =
          check(test, "global" + name + "v[2:3], " + data + ", off", false, false, 0);
      const bool scalar_base =
          check(test, "global" + name + "v2, " + data + ", s[12:13]", false, false, 0);
      EXPECT_TRUE(plain && scalar_base) << name << m.error();
      check(test, "global" + name + result + ", v[2:3], " + data + ", off" + glc, false, true, 20);
      check(test, "flat" + name + "v[2:3], " + data, false, false, 0);
      check(test, "flat" + name + result + ", v[2:3], " + data + glc, false, true, 20);
      EXPECT_TRUE(check(test, "buffer" + name + data + ", v2, s[8:11], 0 offen", false, false, 0))
          << m.error();
      check(test, "buffer" + name + data + ", v2, s[8:11], 0 offen" + glc, false, true, 4);
    }
    const std::string lds = test.lds;
    const std::size_t mark = lds.find('%');
    check(test, "ds_" + std::string(lds).replace(mark, 1, "") + " v2, " + data, true, false, 0);
    EXPECT_TRUE(check(
        test, "ds_" + std::string(lds).replace(mark, 1, "_rtn") + " " + result + ", v2, " + data,
        true, true, 20))
        << lds << m.error();
  }
}

// What a load makes of the bytes, and of the register's old value.
struct LoadCase {
  const char* global;
  const char* lds;
  unsigned dwords;                // of the result
  u64 (*f)(u64 memory, u64 old);  // of the first two dwords
};

const LoadCase kLoads[] = {
    {"load_ubyte", "ds_read_u8", 1, [](u64 x, u64) { return x % 256; }},
    {"load_sbyte", "ds_read_i8", 1,
     [](u64 x, u64) { return low(static_cast<u64>(static_cast<std::int8_t>(x))); }},
    {"load_ushort", "ds_read_u16", 1, [](u64 x, u64) { return x % 65536; }},
    {"load_sshort", "ds_read_i16", 1,
     [](u64 x, u64) { return low(static_cast<u64>(static_cast<i16>(x))); }},
    {"load_ubyte_d16", "ds_read_u8_d16", 1,
     [](u64 x, u64 old) { return low(old) / 65536 * 65536 + x % 256; }},
    {"load_ubyte_d16_hi", "ds_read_u8_d16_hi", 1,
     [](u64 x, u64 old) { return old % 65536 + x % 256 * 65536; }},
    {"load_sbyte_d16", "ds_read_i8_d16", 1,
     [](u64 x, u64 old) {
       return low(old) / 65536 * 65536 + static_cast<u16>(static_cast<std::int8_t>(x));
     }},
    {"load_sbyte_d16_hi", "ds_read_i8_d16_hi", 1,
     [](u64 x, u64 old) {
       return old % 65536 + u64{static_cast<u16>(static_cast<std::int8_t>(x))} * 65536;
     }},
    {"load_short_d16", "ds_read_u16_d16", 1,
     [](u64 x, u64 old) { return low(old) / 65536 * 65536 + x % 65536; }},
    {"load_short_d16_hi", "ds_read_u16_d16_hi", 1,
     [](u64 x, u64 old) { return old % 65536 + x % 65536 * 65536; }},
    {"load_dword", "ds_read_b32", 1, [](u64 x, u64) { return low(x); }},
    {"load_dwordx2", "ds_read_b64", 2, [](u64 x, u64) { return x; }},
    {"load_dwordx3", "ds_read_b96", 3, [](u64 x, u64) { return x; }},
    {"load_dwordx4", "ds_read_b128", 4, [](u64 x, u64) { return x; }}};

class Loads : public Memory {
 protected:
  void check(const LoadCase& test, const std::string& line, bool is_lds) {
    Random random(11);
    for (const u64 exec : kExecs) {
      ASSERT_TRUE(run(line, is_lds, random, exec)) << m.error();
      for (unsigned l = 0; l < kLanes; ++l) {
        const u64 old = 0xdead0014 | u64{0xdead0015} << 32;
        const bool active = exec >> l & 1;
        const u64 cut = test.dwords == 1 ? 0xffffffff : ~u64{0};
        EXPECT_EQ(pair(20, l, test.dwords == 1 ? 4 : 8),
                  (active ? test.f(read(memory_, l, 8), old) : old) & cut)
            << line << " lane " << l;
        for (unsigned d = 2; d < test.dwords; ++d)
          EXPECT_EQ(m.v(20 + d)[l], active ? word(l * kSlot + 4 * d) : 0xdead0000 + 20 + d) << line;
      }
    }
  }
};

TEST_P(Loads, OnEachAddressSpace) {
  for (const LoadCase& test : kLoads) {
    const std::string name = test.global, to = data_register(20, test.dwords);
    check(test, "global_" + name + " " + to + ", v[2:3], off", false);
    check(test, "global_" + name + " " + to + ", v2, s[12:13]", false);
    check(test, "flat_" + name + " " + to + ", v[2:3]", false);
    check(test, "buffer_" + name + " " + to + ", v2, s[8:11], 0 offen", false);
    check(test, std::string(test.lds) + " " + to + ", v2", true);
  }
}

struct StoreCase {
  const char* global;
  const char* lds;
  unsigned bytes, dwords, shift;  // written; of the data registers; bits of them skipped
};

const StoreCase kStores[] = {{"store_byte", "ds_write_b8", 1, 1, 0},
                             {"store_byte_d16_hi", "ds_write_b8_d16_hi", 1, 1, 16},
                             {"store_short", "ds_write_b16", 2, 1, 0},
                             {"store_short_d16_hi", "ds_write_b16_d16_hi", 2, 1, 16},
                             {"store_dword", "ds_write_b32", 4, 1, 0},
                             {"store_dwordx2", "ds_write_b64", 8, 2, 0},
                             {"store_dwordx3", "ds_write_b96", 12, 3, 0},
                             {"store_dwordx4", "ds_write_b128", 16, 4, 0}};

class Stores : public Memory {
 protected:
  void check(const StoreCase& test, const std::string& line, bool is_lds) {
    Random random(13);
    for (const u64 exec : kExecs) {
      ASSERT_TRUE(run(line, is_lds, random, exec)) << m.error();
      std::byte want[kBytes];
      std::memcpy(want, before_, kBytes);
      for (unsigned l = 0; l < kLanes; ++l) {
        if (!(exec >> l & 1)) continue;
        u32 data[4];
        for (unsigned d = 0; d < 4; ++d) data[d] = m.v(4 + d)[l];
        data[0] >>= test.shift;
        std::memcpy(want + l * kSlot, data, test.bytes);
      }
      EXPECT_EQ(std::memcmp(want, memory_, kBytes), 0) << line;
    }
  }
};

TEST_P(Stores, OnEachAddressSpace) {
  for (const StoreCase& test : kStores) {
    const std::string name = test.global, data = data_register(4, test.dwords);
    check(test, "global_" + name + " v[2:3], " + data + ", off", false);
    check(test, "global_" + name + " v2, " + data + ", s[12:13]", false);
    check(test, "flat_" + name + " v[2:3], " + data, false);
    check(test, "buffer_" + name + " " + data + ", v2, s[8:11], 0 offen", false);
    check(test, std::string(test.lds) + " v2, " + data, true);
  }
}

// Scalar registers: data in s[16:19], memory at lane 1's slot.
class Scalars : public Memory {
 protected:
  void prepare(u64) override {
    Random random(17);
    for (unsigned n = 0; n < 4; ++n)
      m.s(16 + n) = data_[n] = static_cast<u32>(operand(Type::b32, random));
  }
  u64 data(unsigned bytes) const { return bytes == 8 ? data_[0] | u64{data_[1]} << 32 : data_[0]; }
  u64 result(unsigned bytes) { return bytes == 8 ? m.wave().scalar64(16) : m.s(16); }
  u32 data_[4];
};

std::string scalar_register(unsigned first, unsigned count) {
  if (count == 1) return "s" + std::to_string(first);
  return "s[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

TEST_P(Scalars, Atomics) {
  Random random(5);
  for (const AtomicCase& test : kAtomics) {
    if (!*test.global || test.type == Type::f32 || test.type == Type::f64) continue;
    for (const std::string where : {"s_atomic_", "s_buffer_atomic_"}) {
      const std::string base = where == "s_atomic_" ? ", s[12:13]" : ", s[8:11]";
      const std::string line =
          where + test.global + " " + scalar_register(16, test.bytes / 4) + base + ", 0x20 glc";
      ASSERT_TRUE(run(line, false, random, ~u64{0})) << m.error();
      const u64 old = read(before_, 1, test.bytes);
      EXPECT_EQ(read(memory_, 1, test.bytes), test.f(old, data(test.bytes))) << line;
      EXPECT_EQ(result(test.bytes), old) << line;
    }
  }
}

TEST_P(Scalars, LoadsAndStores) {
  Random random(6);
  for (const unsigned count : {1u, 2u, 4u, 8u, 16u}) {
    const std::string width = count == 1 ? "" : "x" + std::to_string(count);
    for (const std::string where : {"s_load_dword", "s_buffer_load_dword"}) {
      const std::string line = where + width + " " + scalar_register(32, count) +
                               (where == "s_load_dword" ? ", s[12:13]" : ", s[8:11]") + ", 0x20";
      ASSERT_TRUE(run(line, false, random, 0)) << m.error();
      for (unsigned n = 0; n < count; ++n) EXPECT_EQ(m.s(32 + n), word(0x20 + 4 * n)) << line;
    }
    if (count > 4) continue;
    for (const std::string where : {"s_store_dword", "s_buffer_store_dword"}) {
      const std::string line = where + width + " " + scalar_register(16, count) +
                               (where == "s_store_dword" ? ", s[12:13]" : ", s[8:11]") + ", 0x20";
      ASSERT_TRUE(run(line, false, random, 0)) << m.error();
      for (unsigned n = 0; n < count; ++n) EXPECT_EQ(word(0x20 + 4 * n), data_[n]) << line;
    }
  }
}

// Compare and swap: in every other lane the comparison holds.
class CompareSwaps : public Memory {
 protected:
  void prepare(u64) override {
    for (unsigned l = 0; l < kLanes; l += 2)
      for (unsigned n = 0; n < bytes_ / 4; ++n) m.v(compare_row_ + n)[l] = word(l * kSlot + 4 * n);
    for (unsigned l = 0; l < kLanes; ++l) {
      compare_[l] = pair(compare_row_, l, bytes_);
      data_[l] = pair(data_row_, l, bytes_);
    }
  }
  void check(const std::string& line, bool is_lds, unsigned bytes, unsigned data_row,
             unsigned compare_row, unsigned result_row) {
    bytes_ = bytes;
    data_row_ = data_row;
    compare_row_ = compare_row;
    Random random(19);
    for (const u64 exec : kExecs) {
      ASSERT_TRUE(run(line, is_lds, random, exec)) << m.error();
      for (unsigned l = 0; l < kLanes; ++l) {
        const u64 old = read(before_, l, bytes);
        const bool swaps = (exec >> l & 1) && old == compare_[l];
        EXPECT_EQ(read(memory_, l, bytes), swaps ? data_[l] : old) << line << " lane " << l;
        if (exec >> l & 1) EXPECT_EQ(pair(result_row, l, bytes), old) << line;
      }
    }
  }
  unsigned bytes_ = 4, data_row_ = 4, compare_row_ = 5;
  u64 compare_[kLanes], data_[kLanes];
};

TEST_P(CompareSwaps, OnEachAddressSpace) {
  const std::string glc = GetParam() == Arch::gfx942 ? " sc0" : " glc";
  check("global_atomic_cmpswap v20, v[2:3], v[4:5], off" + glc, false, 4, 4, 5, 20);
  check("global_atomic_cmpswap_x2 v[20:21], v[2:3], v[4:7], off" + glc, false, 8, 4, 6, 20);
  check("flat_atomic_cmpswap v20, v[2:3], v[4:5]" + glc, false, 4, 4, 5, 20);
  check("flat_atomic_cmpswap_x2 v[20:21], v[2:3], v[4:7]" + glc, false, 8, 4, 6, 20);
  check("buffer_atomic_cmpswap v[4:5], v2, s[8:11], 0 offen" + glc, false, 4, 4, 5, 4);
  check("buffer_atomic_cmpswap_x2 v[4:7], v2, s[8:11], 0 offen" + glc, false, 8, 4, 6, 4);
  check("ds_cmpst_rtn_b32 v20, v2, v4, v6", true, 4, 6, 4, 20);
  check("ds_cmpst_rtn_b64 v[20:21], v2, v[4:5], v[6:7]", true, 8, 6, 4, 20);
}

class Pairs : public Memory {};

TEST_P(Pairs, ReadTwoAndWriteTwo) {
  Random random(23);
  ASSERT_TRUE(run("ds_read2_b32 v[20:21], v2 offset0:1 offset1:3", true, random, ~u64{0}));
  EXPECT_EQ(m.v(20)[5], word(5 * kSlot + 4));
  EXPECT_EQ(m.v(21)[5], word(5 * kSlot + 12));
  ASSERT_TRUE(run("ds_read2_b64 v[20:23], v2 offset0:0 offset1:2", true, random, ~u64{0}));
  EXPECT_EQ(m.v(21)[5], word(5 * kSlot + 4));
  EXPECT_EQ(m.v(22)[5], word(5 * kSlot + 16));
  ASSERT_TRUE(run("ds_read2st64_b32 v[20:21], v2 offset0:1 offset1:3", true, random, ~u64{0}));
  EXPECT_EQ(m.v(20)[5], word(5 * kSlot + 256));
  EXPECT_EQ(m.v(21)[5], word(5 * kSlot + 768));
  ASSERT_TRUE(run("ds_read2st64_b64 v[20:23], v2 offset0:0 offset1:1", true, random, ~u64{0}));
  EXPECT_EQ(m.v(20)[5], word(5 * kSlot));
  EXPECT_EQ(m.v(23)[5], word(5 * kSlot + 512 + 4));
  ASSERT_TRUE(run("ds_write2_b32 v2, v4, v6 offset0:1 offset1:3", true, random, ~u64{0}));
  EXPECT_EQ(word(5 * kSlot + 4), m.v(4)[5]);
  EXPECT_EQ(word(5 * kSlot + 12), m.v(6)[5]);
  ASSERT_TRUE(run("ds_write2_b64 v2, v[4:5], v[6:7] offset0:0 offset1:2", true, random, ~u64{0}));
  EXPECT_EQ(word(5 * kSlot + 4), m.v(5)[5]);
  EXPECT_EQ(word(5 * kSlot + 16), m.v(6)[5]);
  ASSERT_TRUE(run("ds_write2st64_b32 v2, v4, v6 offset0:0 offset1:1", true, random, u64{1} << 5));
  EXPECT_EQ(word(5 * kSlot), m.v(4)[5]);
  EXPECT_EQ(word(5 * kSlot + 256), m.v(6)[5]);
  ASSERT_TRUE(run("ds_write2st64_b64 v2, v[4:5], v[6:7] offset0:0 offset1:1", true, random, 1));
  EXPECT_EQ(word(4), m.v(5)[0]);
  EXPECT_EQ(word(512), m.v(6)[0]);
}

class ScalarCompares : public Scalars {
 protected:
  void prepare(u64 exec) override {
    Scalars::prepare(exec);
    if (holds_) std::memcpy(&m.s(16 + bytes_ / 4), memory_ + kSlot, bytes_);
  }
  bool holds_ = true;
  unsigned bytes_ = 4;
};

TEST_P(ScalarCompares, SwapWhenEqual) {
  Random random(29);
  for (const char* line : {"s_atomic_cmpswap s[16:17], s[12:13], 0x20 glc",
                           "s_atomic_cmpswap_x2 s[16:19], s[12:13], 0x20 glc",
                           "s_buffer_atomic_cmpswap s[16:17], s[8:11], 0x20 glc",
                           "s_buffer_atomic_cmpswap_x2 s[16:19], s[8:11], 0x20 glc"}) {
    bytes_ = std::string(line).find("_x2") != std::string::npos ? 8 : 4;
    for (const bool holds : {true, false}) {
      holds_ = holds;
      ASSERT_TRUE(run(line, false, random, 0)) << m.error();
      const u64 old = read(before_, 1, bytes_);
      const unsigned compared = 16 + bytes_ / 4;  // still there
      const bool equal = old == (bytes_ == 8 ? m.wave().scalar64(compared) : m.s(compared));
      EXPECT_TRUE(equal || !holds) << line;
      EXPECT_EQ(read(memory_, 1, bytes_), equal ? data(bytes_) : old) << line;
      EXPECT_EQ(result(bytes_), old) << line;
    }
  }
}

TEST_P(Pairs, MaskedOrAndExchanges) {
  Random random(31);
  for (const char* line : {"ds_mskor_b32 v2, v4, v6", "ds_mskor_rtn_b32 v20, v2, v4, v6"}) {
    ASSERT_TRUE(run(line, true, random, ~u64{0}));
    const u32 old = static_cast<u32>(read(before_, 9, 4));
    EXPECT_EQ(word(9 * kSlot), (old & ~m.v(4)[9]) | m.v(6)[9]) << line;
  }
  for (const char* line :
       {"ds_mskor_b64 v2, v[4:5], v[6:7]", "ds_mskor_rtn_b64 v[20:21], v2, v[4:5], v[6:7]"}) {
    ASSERT_TRUE(run(line, true, random, ~u64{0}));
    EXPECT_EQ(read(memory_, 9, 8), (read(before_, 9, 8) & ~pair(4, 9, 8)) | pair(6, 9, 8)) << line;
  }
  ASSERT_TRUE(
      run("ds_wrxchg2_rtn_b32 v[20:21], v2, v4, v6 offset0:0 offset1:1", true, random, ~u64{0}));
  EXPECT_EQ(word(9 * kSlot), m.v(4)[9]);
  EXPECT_EQ(word(9 * kSlot + 4), m.v(6)[9]);
  EXPECT_EQ(pair(20, 9, 8), read(before_, 9, 8));
  ASSERT_TRUE(run("ds_wrxchg2_rtn_b64 v[20:23], v2, v[4:5], v[6:7] offset0:0 offset1:1", true,
                  random, ~u64{0}));
  EXPECT_EQ(read(memory_, 9, 8), pair(4, 9, 8));
  EXPECT_EQ(pair(20, 9, 8), read(before_, 9, 8));
  EXPECT_EQ(word(9 * kSlot + 12), m.v(7)[9]);
}

const auto kArchs = ::testing::Values(Arch::gfx90a, Arch::gfx942);
INSTANTIATE_TEST_SUITE_P(Targets, Atomics, kArchs);
INSTANTIATE_TEST_SUITE_P(Targets, Scalars, kArchs);
INSTANTIATE_TEST_SUITE_P(Targets, CompareSwaps, kArchs);
INSTANTIATE_TEST_SUITE_P(Targets, Pairs, kArchs);
INSTANTIATE_TEST_SUITE_P(Targets, ScalarCompares, kArchs);
INSTANTIATE_TEST_SUITE_P(Targets, Loads, kArchs);
INSTANTIATE_TEST_SUITE_P(Targets, Stores, kArchs);

}  // namespace
}  // namespace geak::emulator::testing

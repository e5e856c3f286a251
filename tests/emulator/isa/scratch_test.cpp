// Scratch instructions against private segments laid out by hand: dwords of 64 lanes side by side.
#include "tests/emulator/isa/memory_fixture.h"

namespace geak::emulator::testing {
namespace {

constexpr unsigned kLaneBytes = kBytes / kLanes / 2;  // the upper half of the memory is LDS' own

class ScratchAccess : public Memory {
 protected:
  ScratchAccess() {
    WaveSlot& slot = slot_of(m.wave());
    slot.scratch = memory_;
    slot.scratch_bytes = kLaneBytes * kLanes;
  }
  // Each lane begins at another dword; s14 adds 4.
  static unsigned offset_of(unsigned lane) { return lane % 3 * 4; }
  void prepare(u64) override {
    m.wave().set_scalar64(102, reinterpret_cast<u64>(memory_));  // FLAT_SCRATCH
    m.s(14) = 4;
    for (unsigned l = 0; l < kLanes; ++l) m.v(2)[l] = offset_of(l);
  }
  static unsigned place(unsigned offset, unsigned lane) {
    return offset / 4 * 256 + lane * 4 + offset % 4;
  }
  u64 at(const std::byte* from, unsigned offset, unsigned lane, unsigned bytes) const {
    u64 value = 0;
    for (unsigned n = 0; n < bytes; ++n)
      value |= static_cast<u64>(from[place(offset + n, lane)]) << 8 * n;
    return value;
  }

  // `line` has a place for the address: of the vector register, or of the scalar one.
  template <class Check>
  void each_address(const std::string& before, const std::string& after, Check check) {
    Random random(67);
    for (const u64 exec : kExecs) {
      ASSERT_TRUE(run(before + "v2" + after + ", off", true, random, exec)) << m.error();
      for (unsigned l = 0; l < kLanes; ++l) check(l, offset_of(l), exec >> l & 1);
      ASSERT_TRUE(run(before + "off" + after + ", s14 offset:4", true, random, exec)) << m.error();
      for (unsigned l = 0; l < kLanes; ++l) check(l, 8, exec >> l & 1);
    }
  }
};

template <class Narrow>
u32 extended(u64 bits) {
  return static_cast<u32>(static_cast<i32>(static_cast<Narrow>(bits)));
}

TEST_P(ScratchAccess, Loads) {
  struct Load {
    const char* name;
    u32 (*f)(u64 bits, u32 old);
  };
  using i8 = std::int8_t;
  using u8 = std::uint8_t;
  const Load loads[] = {
      {"scratch_load_ubyte", [](u64 x, u32) { return extended<u8>(x); }},
      {"scratch_load_sbyte", [](u64 x, u32) { return extended<i8>(x); }},
      {"scratch_load_ushort", [](u64 x, u32) { return extended<u16>(x); }},
      {"scratch_load_sshort", [](u64 x, u32) { return extended<i16>(x); }},
      {"scratch_load_ubyte_d16",
       [](u64 x, u32 old) { return old / 65536 * 65536 + extended<u8>(x); }},
      {"scratch_load_ubyte_d16_hi",
       [](u64 x, u32 old) { return old % 65536 + extended<u8>(x) * 65536; }},
      {"scratch_load_sbyte_d16",
       [](u64 x, u32 old) { return old / 65536 * 65536 + extended<i8>(x) % 65536; }},
      {"scratch_load_sbyte_d16_hi",
       [](u64 x, u32 old) { return old % 65536 + extended<i8>(x) * 65536; }},
      {"scratch_load_short_d16",
       [](u64 x, u32 old) { return old / 65536 * 65536 + extended<u16>(x); }},
      {"scratch_load_short_d16_hi",
       [](u64 x, u32 old) { return old % 65536 + extended<u16>(x) * 65536; }}};
  for (const Load& load : loads) {
    each_address(std::string(load.name) + " v20, ", "", [&](unsigned l, unsigned offset, bool on) {
      const u32 old = 0xdead0014;
      EXPECT_EQ(m.v(20)[l], on ? load.f(at(memory_, offset, l, 4), old) : old) << load.name;
    });
  }
  const char* wide[] = {"scratch_load_dword", "scratch_load_dwordx2", "scratch_load_dwordx3",
                        "scratch_load_dwordx4"};
  for (unsigned dwords = 1; dwords <= 4; ++dwords) {
    const std::string line = std::string(wide[dwords - 1]) + " " + data_register(20, dwords) + ", ";
    each_address(line, "", [&](unsigned l, unsigned offset, bool on) {
      for (unsigned d = 0; d < dwords; ++d)
        EXPECT_EQ(m.v(20 + d)[l],
                  on ? static_cast<u32>(at(memory_, offset + 4 * d, l, 4)) : 0xdead0014 + d)
            << line << " lane " << l;
    });
  }
}

TEST_P(ScratchAccess, Stores) {
  struct Store {
    const char* name;
    unsigned bytes, dwords, shift;
  };
  const Store stores[] = {
      {"scratch_store_byte", 1, 1, 0},     {"scratch_store_byte_d16_hi", 1, 1, 16},
      {"scratch_store_short", 2, 1, 0},    {"scratch_store_short_d16_hi", 2, 1, 16},
      {"scratch_store_dword", 4, 1, 0},    {"scratch_store_dwordx2", 8, 2, 0},
      {"scratch_store_dwordx3", 12, 3, 0}, {"scratch_store_dwordx4", 16, 4, 0}};
  for (const Store& store : stores) {
    each_address(std::string(store.name) + " ", ", " + data_register(4, store.dwords),
                 [&](unsigned l, unsigned offset, bool on) {
                   for (unsigned n = 0; n < kLaneBytes; ++n) {
                     u64 want = at(before_, n, l, 1);
                     if (on && n >= offset && n < offset + store.bytes) {
                       const unsigned byte = n - offset;
                       want = m.v(4 + byte / 4)[l] >> store.shift >> 8 * (byte % 4) & 0xff;
                     }
                     EXPECT_EQ(at(memory_, n, l, 1), want) << store.name << " lane " << l;
                   }
                 });
  }
}

TEST_P(ScratchAccess, LoadsIntoLds) {
  if (GetParam() == Arch::gfx90a) {
    EXPECT_FALSE(m.load(Arch::gfx90a, "scratch_load_lds_dword v2, off")) << "gfx942 has it alone";
    return;
  }
  constexpr unsigned kTarget = 0xc00;
  struct Load {
    const char* name;
    u32 (*f)(u64 bits);
  };
  const Load loads[] = {{"scratch_load_lds_dword", [](u64 x) { return static_cast<u32>(x); }},
                        {"scratch_load_lds_ubyte", extended<std::uint8_t>},
                        {"scratch_load_lds_sbyte", extended<std::int8_t>},
                        {"scratch_load_lds_ushort", extended<u16>},
                        {"scratch_load_lds_sshort", extended<i16>}};
  Random random(71);
  for (const Load& load : loads) {
    for (const u64 exec : kExecs) {
      const std::string line = std::string("s_movk_i32 m0, 0xc00\n") + load.name + " v2, off";
      ASSERT_TRUE(run(line, true, random, exec)) << m.error();
      for (unsigned l = 0; l < kLanes; ++l) {
        u32 old;
        std::memcpy(&old, before_ + kTarget + 4 * l, 4);
        EXPECT_EQ(word(kTarget + 4 * l),
                  exec >> l & 1 ? load.f(at(memory_, offset_of(l), l, 4)) : old)
            << line << " lane " << l;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ScratchAccess, ::testing::Values(Arch::gfx90a, Arch::gfx942));

}  // namespace
}  // namespace geak::emulator::testing

// Loads and stores whose lanes lie in rows, in runs, all at one place or anywhere, against what
// each lane by itself does.
#include <functional>
#include <set>
#include <vector>

#include "tests/emulator/isa/memory_fixture.h"

namespace geak::emulator::testing {
namespace {

struct Access {
  const char* lds;     // the instruction's name for LDS
  const char* global;  // and for global memory
  unsigned dwords;
};
const Access kAccesses[] = {
    {"b32", "dword", 1}, {"b64", "dwordx2", 2}, {"b96", "dwordx3", 3}, {"b128", "dwordx4", 4}};

struct Pattern {
  const char* name;
  // Of the lane's element, in bytes, for elements of so many.
  std::function<u32(unsigned lane, unsigned bytes)> offset;
};
const Pattern kPatterns[] = {
    {"a row", [](unsigned lane, unsigned bytes) { return lane * bytes + 64; }},
    {"a row that begins late", [](unsigned lane, unsigned bytes) { return lane * bytes + 12; }},
    {"runs of 8", [](unsigned l, unsigned bytes) { return l / 8 * 384 + l % 8 * bytes; }},
    {"runs of 8 backwards",
     [](unsigned l, unsigned bytes) { return (7 - l / 8) * 132 + l % 8 * bytes; }},
    {"runs of 16 at one place", [](unsigned l, unsigned bytes) { return l % 16 * bytes + 4; }},
    {"runs of 4", [](unsigned l, unsigned bytes) { return l / 4 * 160 + l % 4 * bytes; }},
    {"one element for 8 lanes", [](unsigned l, unsigned bytes) { return l / 8 * (bytes + 36); }},
    {"one element for all", [](unsigned, unsigned) { return 52u; }},
    {"a column", [](unsigned lane, unsigned) { return lane * 60; }},
    {"backwards", [](unsigned lane, unsigned bytes) { return (63 - lane) * bytes; }},
    {"one lane out of its run",
     [](unsigned l, unsigned bytes) { return l / 8 * 256 + l % 8 * bytes + (l == 62 ? 128 : 0); }},
    {"anywhere", [](unsigned lane, unsigned) { return lane * 2654435761u % 1000 * 4; }}};
// LDS alone: its bounds are those of the workgroup, and its sums wrap at 32 bits.
const Pattern kBeyond[] = {
    {"a row over the end",
     [](unsigned l, unsigned bytes) { return kBytes - 20 * bytes + l * bytes; }},
    {"runs, the last one beyond",
     [](unsigned l, unsigned bytes) { return l / 8 * (kBytes / 7) + l % 8 * bytes; }},
    {"from before the LDS",
     [](unsigned lane, unsigned bytes) { return lane * bytes - 16 * bytes; }},
    {"far away", [](unsigned lane, unsigned) { return lane * 0x4000000u; }}};

class AccessPatterns : public Memory {
 protected:
  void prepare(u64) override {
    for (unsigned l = 0; l < kLanes; ++l) m.v(2)[l] = at_[l];
  }

  // `more`: the instruction's offset. Three times, for patterns are remembered: the second is a few
  // dwords further on.
  void read(const std::string& line, const Access& access, const Pattern& pattern, bool is_lds,
            u32 more, u64 exec) {
    for (const u32 shift : {0, 24, 0}) {
      place(pattern, access, shift);
      const TrafficCounters counted = meter_.counters.read;
      ASSERT_TRUE(run(line, is_lds, random_, exec)) << m.error();
      if (!is_lds) expect_lines(counted, meter_.counters.read, access, pattern, exec);
      for (unsigned l = 0; l < kLanes; ++l) {
        const u32 from = at_[l] + more;
        for (unsigned d = 0; d < access.dwords; ++d) {
          u32 want = 0xdead0014 + d;  // what the register held
          if (exec >> l & 1) want = inside(from, access) ? dword(before_, from + 4 * d) : 0;
          ASSERT_EQ(m.v(20 + d)[l], want) << line << ", " << pattern.name << ", lane " << l;
        }
      }
    }
  }

  void write(const std::string& line, const Access& access, const Pattern& pattern, bool is_lds,
             u32 more, u64 exec) {
    for (const u32 shift : {0, 24, 0}) {
      place(pattern, access, shift);
      const TrafficCounters counted = meter_.counters.write;
      ASSERT_TRUE(run(line, is_lds, random_, exec)) << m.error();
      if (!is_lds) expect_lines(counted, meter_.counters.write, access, pattern, exec);
      std::vector<std::byte> want(before_, before_ + kBytes);
      for (unsigned l = 0; l < kLanes; ++l) {
        const u32 to = at_[l] + more;
        if (!(exec >> l & 1) || !inside(to, access)) continue;
        for (unsigned d = 0; d < access.dwords; ++d)
          std::memcpy(&want[to + 4 * d], &m.v(4 + d)[l], 4);
      }
      ASSERT_EQ(std::memcmp(want.data(), memory_, kBytes), 0) << line << ", " << pattern.name;
    }
  }

  void place(const Pattern& pattern, const Access& access, u32 shift) {
    for (unsigned l = 0; l < kLanes; ++l) at_[l] = pattern.offset(l, 4 * access.dwords) + shift;
  }
  // Different lines of 1 << `bits` bytes that the active lanes touch.
  u64 lines(const Access& access, u64 exec, unsigned bits) const {
    std::set<u64> touched;
    for (unsigned l = 0; l < kLanes; ++l) {
      const u64 first = reinterpret_cast<u64>(memory_) + at_[l];
      if (!(exec >> l & 1)) continue;
      touched.insert(first >> bits);
      touched.insert((first + 4 * access.dwords - 1) >> bits);
    }
    return touched.size();
  }
  void expect_lines(const TrafficCounters& before, const TrafficCounters& after,
                    const Access& access, const Pattern& pattern, u64 exec) const {
    EXPECT_EQ(after.lines64 - before.lines64, lines(access, exec, 6)) << pattern.name;
    EXPECT_EQ(after.lines128 - before.lines128, lines(access, exec, 7)) << pattern.name;
  }

  static bool inside(u32 offset, const Access& access) {
    return offset <= kBytes - 4 * access.dwords;
  }
  static u32 dword(const std::byte* memory, u32 offset) {
    u32 value;
    std::memcpy(&value, memory + offset, 4);
    return value;
  }

  u32 at_[kLanes];
  Random random_{11};
};

TEST_P(AccessPatterns, OfLds) {
  std::vector<Pattern> patterns(std::begin(kPatterns), std::end(kPatterns));
  patterns.insert(patterns.end(), std::begin(kBeyond), std::end(kBeyond));
  for (const Access& access : kAccesses) {
    const std::string name = access.lds, data = data_register(4, access.dwords);
    const std::string result = data_register(20, access.dwords);
    for (const Pattern& pattern : patterns) {
      for (const u64 exec : kExecs) {
        read("ds_read_" + name + " " + result + ", v2", access, pattern, true, 0, exec);
        read("ds_read_" + name + " " + result + ", v2 offset:96", access, pattern, true, 96, exec);
        write("ds_write_" + name + " v2, " + data, access, pattern, true, 0, exec);
        write("ds_write_" + name + " v2, " + data + " offset:96", access, pattern, true, 96, exec);
      }
    }
  }
}

TEST_P(AccessPatterns, OfGlobalMemory) {
  for (const Access& access : kAccesses) {
    const std::string name = access.global, data = data_register(4, access.dwords);
    const std::string result = data_register(20, access.dwords);
    for (const Pattern& pattern : kPatterns) {
      for (const u64 exec : kExecs) {
        read("global_load_" + name + " " + result + ", v2, s[12:13]", access, pattern, false, 0,
             exec);
        write("global_store_" + name + " v2, " + data + ", s[12:13]", access, pattern, false, 0,
              exec);
      }
    }
  }
}

// Several lanes add to one place: none is lost.
TEST_P(AccessPatterns, OfLdsAtomics) {
  const Access access{"", "", 1};
  for (const Pattern& pattern : kPatterns) {
    for (const u64 exec : kExecs) {
      for (const u32 shift : {0, 24}) {
        place(pattern, access, shift);
        ASSERT_TRUE(run("ds_add_u32 v2, v4", true, random_, exec)) << m.error();
        std::vector<u32> want(kBytes / 4);
        std::memcpy(want.data(), before_, kBytes);
        for (unsigned l = 0; l < kLanes; ++l) {
          if (exec >> l & 1) want[at_[l] / 4] += m.v(4)[l];
        }
        ASSERT_EQ(std::memcmp(want.data(), memory_, kBytes), 0) << pattern.name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, AccessPatterns, ::testing::Values(Arch::gfx90a, Arch::gfx942));

}  // namespace
}  // namespace geak::emulator::testing

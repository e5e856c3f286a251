// Memory for tests of loads, stores and atomic operations: LDS and global memory are the same
// bytes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "emulator/memory/page_map.h"
#include "emulator/wave/workgroup.h"
#include "tests/emulator/isa/conformance.h"
#include "tests/emulator/isa/edge_values.h"
#include "tests/emulator/isa/machine.h"

namespace geak::emulator::testing {

inline constexpr unsigned kBytes = 4096, kSlot = 32;  // of memory; of it for each lane

// Registers: v2 (offset) or v[2:3] (address), data in v[4:7], compared value or second data after
// it, result in v[20:23].
class Memory : public ::testing::TestWithParam<Arch> {
 protected:
  Memory() {
    memory_ = static_cast<std::byte*>(::operator new(kBytes, std::align_val_t{kBytes}));
    PageMap::instance().add(reinterpret_cast<u64>(memory_), kBytes);
    group_.memory = &meter_;
    Wave& w = m.wave();
    w.workgroup = &group_;
    w.lds = memory_;
    w.lds_bytes = kBytes;
  }
  ~Memory() override {
    PageMap::instance().remove(reinterpret_cast<u64>(memory_), kBytes);
    ::operator delete(memory_, std::align_val_t{kBytes});
  }

  // Runs `line` on fresh memory and registers; false if this target does not have it.
  bool run(const std::string& line, bool is_lds, Random& random, u64 exec) {
    if (!m.load(GetParam(), line)) return false;
    m.wave().reset(kDefaultMode);
    for (unsigned n = 0; n < kBytes / 4; ++n)
      word(n * 4) = static_cast<u32>(operand(Type::b32, random));
    std::memcpy(before_, memory_, kBytes);
    const u64 base = reinterpret_cast<u64>(memory_);
    const u32 descriptor[] = {static_cast<u32>(base), static_cast<u32>(base >> 32), kBytes,
                              0x27000};
    std::copy(std::begin(descriptor), std::end(descriptor), &m.s(8));
    m.wave().set_scalar64(12, base);
    for (unsigned l = 0; l < kLanes; ++l) {
      const bool is_flat = line.starts_with("flat") || line.find(", off") != std::string::npos ||
                           line.find("v[2:3]") != std::string::npos;
      const u64 address = l * kSlot + (is_flat && !is_lds ? base : 0);
      m.v(2)[l] = static_cast<u32>(address);
      m.v(3)[l] = static_cast<u32>(address >> 32);
      for (unsigned n = 4; n < 12; ++n) m.v(n)[l] = static_cast<u32>(operand(Type::b32, random));
      for (unsigned n = 20; n < 24; ++n) m.v(n)[l] = 0xdead0000 + n;
    }
    prepare(exec);
    m.wave().set_scalar64(kExec, exec);
    m.s(124) = ~0u;
    m.run();
    EXPECT_EQ(m.wave().state, WaveState::ended) << line << ": " << m.wave().fault_message;
    return m.wave().state == WaveState::ended;
  }
  virtual void prepare(u64) {}

  u32& word(unsigned offset) { return *reinterpret_cast<u32*>(memory_ + offset); }
  u64 read(const std::byte* from, unsigned l, unsigned bytes) const {
    u64 value = 0;
    std::memcpy(&value, from + l * kSlot, bytes);
    return value;
  }
  u64 pair(unsigned row, unsigned l, unsigned bytes) {
    return bytes == 8 ? m.v(row)[l] | u64{m.v(row + 1)[l]} << 32 : m.v(row)[l];
  }

  Machine m;
  std::byte* memory_ = nullptr;
  std::byte before_[kBytes];
  MemoryMeter meter_;
  Workgroup group_;
};

inline constexpr u64 kExecs[] = {~u64{0}, 0x8000ffff0000aaa1, 0};

inline std::string data_register(unsigned row, unsigned dwords) {
  const std::string first = std::to_string(row);
  return dwords == 1 ? "v" + first : "v[" + first + ":" + std::to_string(row + dwords - 1) + "]";
}

}  // namespace geak::emulator::testing

// What a host thread keeps to count the traffic of memory instructions.
#pragma once

#include <array>

#include "emulator/model/counters.h"
#include "emulator/model/device.h"
#include "emulator/model/distinct_lines.h"
#include "emulator/model/line_set.h"

namespace geak::emulator {

struct MemoryMeter {
  MemoryCounters counters;
  LineSet lines64, lines128;
  DistinctLines footprint;  // 128-byte lines that reached the L2

  // A new dispatch.
  void begin(const DeviceDescription& device) {
    counters = MemoryCounters{};
    footprint.clear();
    // A line of the vector L1 is 64 bytes on CDNA 2 and 128 bytes on CDNA 3 (white papers).
    line_shift_ = device.arch == Arch::gfx90a ? 6 : 7;
    sets_ = device.l1_bytes >> line_shift_;
    begin_workgroup();
  }
  // Workgroups spread over the compute units, so each begins with a cold L1.
  void begin_workgroup() { ++epoch_; }

  // A line of 64 bytes that a read touches, through a direct-mapped L1.
  void read_line64(std::uint64_t line) {
    const std::uint64_t own = line >> (line_shift_ - 6);
    Tag& tag = tags_[own % sets_];
    if (tag.line == own && tag.epoch == epoch_) {
      ++counters.l1_hits;
      return;
    }
    tag = {own, epoch_};
    ++counters.l1_misses;
    footprint.add(line >> 1);
  }
  // Writes go through to the L2.
  void write_line64(std::uint64_t line) { footprint.add(line >> 1); }

  std::uint32_t l1_line_bytes() const { return 1u << line_shift_; }

 private:
  struct Tag {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t epoch = 0;
  };
  std::array<Tag, 512> tags_{};
  unsigned line_shift_ = 6;
  std::uint32_t sets_ = 256;
  std::uint64_t epoch_ = 0;
};

}  // namespace geak::emulator

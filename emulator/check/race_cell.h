// What racecheck remembers of a dword: its last write and two of its readers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace geak::emulator::check {

// One access, packed: a dword has three.
struct RaceRecord {
  std::uint32_t wave_lane = 0;  // number of the wave in the bits from 6, from 1; 0: no access
  std::uint32_t code = 0;       // bits 0-23 dword offset in the code object; see below
  std::uint32_t when = 0;       // low bits of the time

  static constexpr std::uint32_t kCodeBits = 24;
  static constexpr std::size_t kMostWaves = 1u << 26;

  static RaceRecord of(std::uint32_t wave, unsigned lane, std::uint64_t code_offset,
                       std::uint64_t time, unsigned bytes, bool atomic) {
    RaceRecord record;
    record.wave_lane = wave << 6 | lane;
    record.code = static_cast<std::uint32_t>(code_offset / 4 & ((1u << kCodeBits) - 1)) |
                  bytes << 24 | std::uint32_t{atomic} << 28 |
                  static_cast<std::uint32_t>(time >> 32 & 7) << 29;
    record.when = static_cast<std::uint32_t>(time);
    return record;
  }
  bool empty() const { return wave() == 0; }
  std::uint32_t wave() const { return wave_lane >> 6; }
  unsigned lane() const { return wave_lane & 63; }
  unsigned bytes() const { return code >> 24 & 15; }  // of the dword, a bit each
  bool atomic() const { return code >> 28 & 1; }
  std::uint64_t time() const { return when | std::uint64_t{code >> 29} << 32; }
  std::uint64_t code_offset() const { return std::uint64_t{code & ((1u << kCodeBits) - 1)} * 4; }
  void add_bytes(unsigned mask) { code |= mask << 24; }
};

struct RaceCell {
  RaceRecord write;
  RaceRecord reads[2];
};

}  // namespace geak::emulator::check

// Data-parallel primitives: which lane feeds which. Source: AMD's ISA manuals, section DPP.
#pragma once

#include <cstdint>

namespace geak::emulator {

struct DppControl {
  unsigned control;    // quad_perm, row and wave shifts, mirrors, broadcasts
  bool bound_control;  // invalid sources read as 0 instead of leaving the lane unwritten
  unsigned bank_mask, row_mask;

  [[gnu::always_inline]] explicit DppControl(std::uint32_t word)
      : control(word >> 8 & 0x1ff),
        bound_control(word >> 19 & 1),
        bank_mask(word >> 24 & 15),
        row_mask(word >> 28 & 15) {}

  // The lane that feeds `lane`, whatever EXEC is; -1: none.
  [[gnu::always_inline]] int any_source(unsigned lane) const {
    const unsigned row = lane & 48, in_row = lane & 15, amount = control & 15;
    if (control < 0x100) return static_cast<int>((lane & ~3u) | (control >> (2 * (lane & 3)) & 3));
    if (control <= 0x10f) return in_row + amount < 16 ? static_cast<int>(lane + amount) : -1;
    if (control <= 0x11f) return in_row >= amount ? static_cast<int>(lane - amount) : -1;
    if (control <= 0x12f) return static_cast<int>(row | ((in_row - amount) & 15));
    switch (control) {
      case 0x130:
        return lane < 63 ? static_cast<int>(lane + 1) : -1;  // wave_shl
      case 0x134:
        return static_cast<int>((lane + 1) & 63);  // wave_rol
      case 0x138:
        return static_cast<int>(lane) - 1;  // wave_shr
      case 0x13c:
        return static_cast<int>((lane - 1) & 63);  // wave_ror
      case 0x140:
        return static_cast<int>(row | (15 - in_row));  // row_mirror
      case 0x141:
        return static_cast<int>((lane & ~7u) | (7 - (lane & 7)));  // row_half_mirror
      case 0x142:
        return row == 0 ? -1 : static_cast<int>(row - 1);  // row_bcast:15
      case 0x143:
        return lane < 32 ? -1 : 31;  // row_bcast:31
      default:
        break;
    }
    if (control >= 0x150 && control <= 0x15f)
      return static_cast<int>(row | amount);  // row_newbcast
    return -1;
  }

  // As above; lanes that EXEC disables do not feed others.
  [[gnu::always_inline]] int source(unsigned lane, std::uint64_t exec) const {
    const int from = any_source(lane);
    return from >= 0 && (exec >> from & 1) ? from : -1;
  }

  // Lanes that may be written: chosen by the row and bank masks, and with a source unless
  // bound_control supplies 0.
  [[gnu::always_inline]] std::uint64_t writable(std::uint64_t exec) const {
    std::uint64_t mask = 0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      const bool chosen = (row_mask >> (lane / 16) & 1) && (bank_mask >> (lane % 16 / 4) & 1);
      if (chosen && (bound_control || source(lane, exec) >= 0)) mask |= std::uint64_t{1} << lane;
    }
    return mask;
  }
};

}  // namespace geak::emulator

#include "emulator/isa/memory/bank_conflicts.h"

#include <algorithm>
#include <cstring>

namespace geak::emulator {
namespace {

constexpr unsigned kBanks = 32;

// Dwords that the lanes which are served together want, by bank.
class Wanted {
 public:
  void add(std::uint32_t dword) {
    const std::uint32_t bank = dword % kBanks;
    if (load_[bank] == 0) {
      first_[bank] = dword;
    } else {
      if (first_[bank] == dword) return;
      for (unsigned n = 0; n < others_count_; ++n) {
        if (others_[n] == dword) return;
      }
      others_[others_count_++] = dword;
    }
    busiest_ = std::max<std::uint32_t>(busiest_, ++load_[bank]);
  }
  std::uint32_t busiest() const { return busiest_; }

 private:
  std::array<std::uint8_t, kBanks> load_{};
  std::array<std::uint32_t, kBanks> first_;
  std::array<std::uint32_t, kLanes> others_;
  unsigned others_count_ = 0;
  std::uint32_t busiest_ = 0;
};

// All lanes as far from those of the pattern as lane 0 is, by whole dwords.
bool is_shifted(const Lanes& pattern, const std::uint32_t* offsets) {
  const std::uint32_t shift = offsets[0] - pattern[0];
  std::uint32_t differences = shift % 4;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    differences |= (offsets[lane] - pattern[lane]) ^ shift;
  return differences == 0;
}

}  // namespace

LdsCycles lds_cycles(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes) {
  const unsigned dwords = bytes <= 4 ? 1 : bytes / 4;
  const unsigned lanes = dwords == 1 ? 32 : dwords == 2 ? 16 : 8;
  LdsCycles result;
  for (unsigned first = 0; first < kLanes; first += lanes) {
    Wanted wanted;
    for (unsigned lane = first; lane < first + lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      for (unsigned d = 0; d < dwords; ++d) wanted.add(offsets[lane] / 4 + d);
    }
    if (wanted.busiest() == 0) continue;
    result.busy += wanted.busiest();
    result.conflicts += wanted.busiest() - 1;
  }
  return result;
}

LdsCycles BankConflicts::cycles(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes) {
  if (mask != ~std::uint64_t{0}) return lds_cycles(offsets, mask, bytes);
  const std::uint32_t some = (offsets[1] - offsets[0]) * 7 + (offsets[16] - offsets[0]) * 3 +
                             (offsets[63] - offsets[0]) + bytes;
  Pattern& pattern = patterns_[(some * 0x9e3779b9u) >> 28];
  if (pattern.bytes == bytes && is_shifted(pattern.offsets, offsets)) return pattern.cycles;
  std::memcpy(pattern.offsets, offsets, sizeof pattern.offsets);
  pattern.bytes = bytes;
  return pattern.cycles = lds_cycles(offsets, mask, bytes);
}

}  // namespace geak::emulator

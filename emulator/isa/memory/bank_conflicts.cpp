#include "emulator/isa/memory/bank_conflicts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/memory/bank_conflicts.cpp"
#include <algorithm>
#include <array>
#include <bit>

#include "emulator/wave/wave.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "hwy/highway.h"

// What every target's code shares.
#ifndef GEAK_EMULATOR_ISA_BANK_CONFLICTS
#define GEAK_EMULATOR_ISA_BANK_CONFLICTS
namespace geak::emulator {
namespace {

constexpr unsigned kBanks = 32;

constexpr unsigned dwords_of(unsigned bytes) { return bytes <= 4 ? 1 : bytes / 4; }
// How many lanes are served together.
constexpr unsigned lanes_together(unsigned dwords) {
  return dwords == 1 ? 32 : dwords == 2 ? 16 : 8;
}

void add_group(LdsCycles& cycles, std::uint32_t busiest) {
  cycles.busy += busiest;
  cycles.conflicts += busiest > 0 ? busiest - 1 : 0;
}

}  // namespace
}  // namespace geak::emulator
#endif

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::CappedTag<std::uint64_t, 8>;
using Narrow = hn::Rebind<std::uint32_t, Wide>;

// Two dwords of one bank lie in different rows of 32: for each bank and each group of lanes that
// are served together, a bit for each row that is wanted.
struct WantedRows {
  static constexpr std::uint32_t kRows = 64;
  alignas(64) std::uint64_t of[kLanes / 8 * kBanks];
};

// `row_zero`: of the lowest dword that the lanes of `mask` want; their highest is less than kRows
// rows further on.
void want(const std::uint32_t* offsets, std::uint64_t mask, std::uint32_t dword,
          std::uint32_t together, std::uint32_t row_zero, WantedRows& rows) {
  const Wide wide;
  const Narrow narrow;
  alignas(64) std::uint32_t place[kLanes];
  alignas(64) std::uint64_t bit[kLanes];
  for (std::uint32_t lane = 0; lane < kLanes; lane += static_cast<std::uint32_t>(hn::Lanes(wide))) {
    const auto dwords =
        hn::Add(hn::ShiftRight<2>(hn::LoadU(narrow, offsets + lane)), hn::Set(narrow, dword));
    const auto bank = hn::And(dwords, hn::Set(narrow, kBanks - 1));
    hn::Store(hn::Add(bank, hn::Set(narrow, lane / together * kBanks)), narrow, place + lane);
    const auto row = hn::And(hn::Sub(hn::ShiftRight<5>(dwords), hn::Set(narrow, row_zero)),
                             hn::Set(narrow, WantedRows::kRows - 1));
    const std::uint64_t active = mask >> lane;
    const auto wanted = hn::IfThenElseZero(
        hn::LoadMaskBits(wide, reinterpret_cast<const std::uint8_t*>(&active)), hn::Set(wide, 1));
    hn::Store(hn::Shl(wanted, hn::PromoteTo(wide, row)), wide, bit + lane);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) rows.of[place[lane]] |= bit[lane];
}

std::uint32_t busiest_bank(const std::uint64_t* rows) {
  const Wide wide;
  auto most = hn::Zero(wide);
  for (unsigned bank = 0; bank < kBanks; bank += static_cast<unsigned>(hn::Lanes(wide)))
    most = hn::Max(most, hn::PopulationCount(hn::Load(wide, rows + bank)));
  return static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(wide, most)));
}

// False where the dwords lie too far apart.
bool count(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes, LdsCycles& cycles) {
  std::uint32_t lowest = ~std::uint32_t{0}, highest = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t active = 0 - static_cast<std::uint32_t>(mask >> lane & 1);
    lowest = std::min(lowest, offsets[lane] | ~active);
    highest = std::max(highest, offsets[lane] & active);
  }
  const unsigned dwords = dwords_of(bytes), together = lanes_together(dwords);
  const std::uint32_t row_zero = lowest / 4 / kBanks;
  if ((highest / 4 + dwords - 1) / kBanks - row_zero >= WantedRows::kRows) return false;
  WantedRows rows;
  const unsigned groups = kLanes / together;
  std::fill_n(rows.of, groups * kBanks, 0u);
  for (unsigned n = 0; n < dwords; ++n) want(offsets, mask, n, together, row_zero, rows);
  for (unsigned group = 0; group < groups; ++group)
    add_group(cycles, busiest_bank(rows.of + group * kBanks));
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
namespace {

HWY_EXPORT(count);

// Dwords that the lanes which are served together want, by bank.
class Wanted {
 public:
  void add(std::uint32_t dword) {
    const std::uint32_t bank = dword % kBanks;
    const auto end = others_.begin() + others_count_;
    if (load_[bank] == 0)
      first_[bank] = dword;
    else if (first_[bank] == dword || std::find(others_.begin(), end, dword) != end)
      return;
    else
      others_[others_count_++] = dword;
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

}  // namespace

LdsCycles lds_cycles(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes) {
  LdsCycles cycles;
  if (HWY_DYNAMIC_DISPATCH(count)(offsets, mask, bytes, cycles)) return cycles;
  const unsigned dwords = dwords_of(bytes), together = lanes_together(dwords);
  for (unsigned first = 0; first < kLanes; first += together) {
    Wanted wanted;
    for (unsigned lane = first; lane < first + together; ++lane) {
      for (unsigned d = 0; d < dwords && (mask >> lane & 1); ++d) wanted.add(offsets[lane] / 4 + d);
    }
    add_group(cycles, wanted.busiest());
  }
  return cycles;
}

}  // namespace geak::emulator
#endif

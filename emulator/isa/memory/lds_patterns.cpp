#include "emulator/isa/memory/lds_patterns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/memory/lds_patterns.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Dwords = hn::CappedTag<std::uint32_t, 16>;
using Signed = hn::RebindToSigned<Dwords>;
using Wide = hn::CappedTag<std::uint64_t, 8>;
using Narrow = hn::Rebind<std::uint32_t, Wide>;

// All lanes as far from those of the pattern as lane 0 is.
bool is_shifted(const Lanes& pattern, const Lanes& offsets) {
  const Dwords d;
  const auto shift = hn::Set(d, offsets[0] - pattern[0]);
  auto differences = hn::Zero(d);
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    const auto distance = hn::Sub(hn::Load(d, offsets + lane), hn::Load(d, pattern + lane));
    differences = hn::Or(differences, hn::Xor(distance, shift));
  }
  return hn::AllTrue(d, hn::Eq(differences, hn::Zero(d)));
}

// The distance of lanes within every run, if it is `bytes` or 0.
std::int32_t run_step_of(const Lanes& offsets, std::uint32_t bytes) {
  const std::uint32_t step = offsets[1] - offsets[0];
  if (step != bytes && step != 0) return kNoRuns;
  std::uint32_t irregular = 0;
  for (unsigned first = 0; first < kLanes; first += kRunLanes) {
    for (unsigned n = 1; n < kRunLanes; ++n)
      irregular |= (offsets[first + n] - offsets[first]) ^ (step * n);
  }
  return irregular == 0 ? static_cast<std::int32_t>(step) : kNoRuns;
}

void describe(LdsPattern& pattern) {
  const Dwords d;
  const Signed s;
  const auto first = hn::Set(d, pattern.offsets[0]);
  auto lowest = hn::Zero(s), highest = hn::Zero(s);
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    const auto distance = hn::BitCast(s, hn::Sub(hn::Load(d, pattern.offsets + lane), first));
    lowest = hn::Min(lowest, distance);
    highest = hn::Max(highest, distance);
  }
  pattern.lowest = hn::GetLane(hn::MinOfLanes(s, lowest));
  pattern.highest = hn::GetLane(hn::MaxOfLanes(s, highest));
  pattern.run_step = run_step_of(pattern.offsets, pattern.bytes);
}

void pointers(const Lanes& offsets, std::uint32_t constant, std::byte* base, std::byte** out) {
  const Wide wide;
  const Narrow narrow;
  const auto more = hn::Set(narrow, constant);
  const auto start = hn::Set(wide, reinterpret_cast<std::uint64_t>(base));
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(wide)) {
    // The sum wraps at 32 bits.
    const auto offset = hn::PromoteTo(wide, hn::Add(more, hn::Load(narrow, offsets + lane)));
    hn::StoreU(hn::Add(start, offset), wide, reinterpret_cast<std::uint64_t*>(out + lane));
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {

HWY_EXPORT(is_shifted);
HWY_EXPORT(describe);
HWY_EXPORT(pointers);

const LdsPattern& LdsPatterns::find(const Lanes& offsets, std::uint32_t constant, unsigned bytes) {
  const std::uint32_t some = (offsets[1] - offsets[0]) * 7 + (offsets[16] - offsets[0]) * 3 +
                             (offsets[63] - offsets[0]) + bytes;
  LdsPattern& pattern = patterns_[(some * 0x9e3779b9u) >> (32 - kPatternBits)];
  // By whole dwords: else lanes share other ones.
  const bool aligned = (offsets[0] + constant - pattern.offsets[0]) % 4 == 0;
  if (aligned && pattern.bytes == bytes &&
      HWY_DYNAMIC_DISPATCH(is_shifted)(pattern.offsets, offsets)) [[likely]]
    return pattern;
  for (unsigned lane = 0; lane < kLanes; ++lane) pattern.offsets[lane] = offsets[lane] + constant;
  pattern.bytes = bytes;
  HWY_DYNAMIC_DISPATCH(describe)(pattern);
  pattern.cycles = lds_cycles(pattern.offsets, ~std::uint64_t{0}, bytes);
  return pattern;
}

void lds_pointers(const Lanes& offsets, std::uint32_t constant, std::byte* base, std::byte** out) {
  HWY_DYNAMIC_DISPATCH(pointers)(offsets, constant, base, out);
}

}  // namespace geak::emulator
#endif

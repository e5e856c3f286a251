#include "emulator/isa/memory/lane_addresses.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/memory/lane_addresses.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/memory/page_map.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
constexpr std::size_t kLaneCount = 64;
using Wide = hn::CappedTag<std::uint64_t, 8>;
using Narrow = hn::Rebind<std::uint32_t, Wide>;

void add(const std::uint32_t* low, const std::uint32_t* high, std::uint64_t base,
         std::uint64_t* out) {
  const Wide wide;
  const Narrow narrow;
  const auto start = hn::Set(wide, base);
  for (std::size_t lane = 0; lane < kLaneCount; lane += hn::Lanes(wide)) {
    auto address = hn::Add(start, hn::PromoteTo(wide, hn::LoadU(narrow, low + lane)));
    if (high)
      address =
          hn::Add(address, hn::ShiftLeft<32>(hn::PromoteTo(wide, hn::LoadU(narrow, high + lane))));
    hn::StoreU(address, wide, out + lane);
  }
}

// Where the lanes would be if all runs were like the first one.
void find_runs(const std::uint64_t* addresses, std::uint32_t bytes, AddressShape& result) {
  const Wide wide;
  const std::uint64_t step = addresses[1] - addresses[0];
  if (step != bytes && step != 0) return;
  auto multiple = hn::Zero(wide);
  for (int bit = 0; bit < 5; ++bit)
    if (step >> bit & 1) multiple = hn::Add(multiple, hn::ShiftLeftSame(hn::Iota(wide, 0), bit));
  auto expected = hn::Zero(wide), irregular = hn::Zero(wide);
  std::uint64_t gaps = 0;
  for (std::size_t lane = 0; lane < kLaneCount; lane += hn::Lanes(wide)) {
    if (lane % kRunLanes == 0) {
      expected = hn::Add(hn::Set(wide, addresses[lane]), multiple);
      gaps |= addresses[lane] ^ (addresses[0] + lane * bytes);
    } else {
      expected = hn::Add(expected, hn::Set(wide, step * hn::Lanes(wide)));
    }
    irregular = hn::Or(irregular, hn::Xor(hn::LoadU(wide, addresses + lane), expected));
  }
  if (!hn::AllTrue(wide, hn::Eq(irregular, hn::Zero(wide)))) return;
  result.run_step = static_cast<std::int32_t>(step);
  result.regular = step == bytes && gaps == 0;
}

AddressShape shape(const std::uint64_t* addresses, std::uint64_t mask, std::uint32_t bytes) {
  const Wide wide;
  const auto first = hn::Set(wide, addresses[hwy::Num0BitsBelowLS1Bit_Nonzero64(mask)]);
  auto differences = hn::Zero(wide);
  for (std::size_t lane = 0; lane < kLaneCount; lane += hn::Lanes(wide)) {
    const std::uint64_t part = mask >> lane;
    const auto active = hn::LoadMaskBits(wide, reinterpret_cast<const std::uint8_t*>(&part));
    const auto difference = hn::Xor(hn::LoadU(wide, addresses + lane), first);
    differences = hn::Or(differences, hn::IfThenElseZero(active, difference));
  }
  alignas(64) std::uint64_t parts[8] = {};
  hn::Store(differences, wide, parts);
  AddressShape result;
  for (const std::uint64_t part : parts) result.differences |= part;
  if (mask == ~std::uint64_t{0}) find_runs(addresses, bytes, result);
  return result;
}

std::uint64_t changes(const std::uint64_t* addresses, std::uint32_t bytes) {
  const Wide wide;
  const auto before = hn::IndicesFromVec(
      wide, hn::And(hn::Add(hn::Iota(wide, 0), hn::Set(wide, hn::Lanes(wide) - 1)),
                    hn::Set(wide, hn::Lanes(wide) - 1)));
  const auto more = hn::Set(wide, bytes - 1);
  std::uint64_t result = 0;
  for (std::size_t lane = 0; lane < kLaneCount; lane += hn::Lanes(wide)) {
    const auto address = hn::LoadU(wide, addresses + lane);
    const auto previous = hn::TableLookupLanes(address, before);
    // Of both the first byte's line and the last one's.
    const auto difference = hn::Or(hn::Xor(address, previous),
                                   hn::Xor(hn::Add(address, more), hn::Add(previous, more)));
    const auto changed = hn::Ne(hn::ShiftRight<6>(difference), hn::Zero(wide));
    std::uint64_t bits = 0;
    hn::StoreMaskBits(wide, changed, reinterpret_cast<std::uint8_t*>(&bits));
    result |= (bits | 1) << lane;
  }
  return result;
}

void to_host(const std::uint64_t* addresses, std::byte** out) {
  const Wide wide;
  const auto mask = hn::Set(wide, host_address(~std::uint64_t{0}));
  for (std::size_t lane = 0; lane < kLaneCount; lane += hn::Lanes(wide))
    hn::StoreU(hn::And(hn::LoadU(wide, addresses + lane), mask), wide,
               reinterpret_cast<std::uint64_t*>(out + lane));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {

HWY_EXPORT(add);
HWY_EXPORT(shape);
HWY_EXPORT(changes);
HWY_EXPORT(to_host);

void add_lane_addresses(const std::uint32_t* low, const std::uint32_t* high, std::uint64_t base,
                        std::uint64_t* out) {
  HWY_DYNAMIC_DISPATCH(add)(low, high, base, out);
}
AddressShape shape_of(const std::uint64_t* addresses, std::uint64_t mask, std::uint32_t bytes) {
  return HWY_DYNAMIC_DISPATCH(shape)(addresses, mask, bytes);
}
std::uint64_t line_changes(const std::uint64_t* addresses, std::uint32_t bytes) {
  return HWY_DYNAMIC_DISPATCH(changes)(addresses, bytes);
}
void to_host_pointers(const std::uint64_t* addresses, std::byte** out) {
  HWY_DYNAMIC_DISPATCH(to_host)(addresses, out);
}

}  // namespace geak::emulator
#endif

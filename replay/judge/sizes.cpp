#include "replay/judge/sizes.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

namespace geak::replay {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;
constexpr std::uint64_t kLargestRegion = 256ull << 20;
constexpr std::uint64_t kSmall = 1ull << 20, kTiny = 1ull << 17;  // bytes of a launch

// Integer arguments that could be sizes, by value.
std::map<std::int64_t, SizeArgument> candidates_of(const LaunchRecord& launch,
                                                   const KernelMetadata& kernel,
                                                   const std::vector<std::string>& types) {
  std::map<std::int64_t, SizeArgument> found;
  std::size_t position = 0;
  for (const auto& argument : kernel.arguments) {
    if (argument.hidden()) continue;
    const auto index = position++;
    if (argument.value_kind != "by_value" || (argument.bytes != 4 && argument.bytes != 8)) continue;
    if (argument.offset + argument.bytes > launch.kernarg.size()) continue;
    if (index < types.size() && (types[index].find("float") != std::string::npos ||
                                 types[index].find("double") != std::string::npos)) {
      continue;
    }
    std::int64_t value = 0;
    std::memcpy(&value, launch.kernarg.data() + argument.offset, argument.bytes);
    if (value < 2 || value > kLargestSize) continue;
    auto& size = found[value];
    if (!size.offsets.empty() && size.bytes != argument.bytes) continue;
    size.value = value;
    size.bytes = argument.bytes;
    size.offsets.push_back(argument.offset);
    size.name += (size.name.empty() ? "argument " : ", ") + std::to_string(index);
  }
  return found;
}

std::uint32_t groups_of(const LaunchRecord& launch, int axis) {
  return (launch.grid[axis] + launch.block[axis] - 1) / launch.block[axis];
}

void relate_to_grid(const LaunchRecord& launch, SizeArgument& size) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t groups = groups_of(launch, axis);
    if (launch.grid[axis] <= 1) continue;
    for (std::int64_t each = 1; each <= 16; each *= 2) {
      const std::int64_t items = each * launch.block[axis];
      if ((size.value + items - 1) / items != groups) continue;
      // A single workgroup covers any small number: that says nothing.
      if (groups == 1 && size.value * 2 <= items) continue;
      size.axes.push_back({axis, static_cast<std::uint32_t>(items)});
      break;
    }
    const bool covered = !size.axes.empty() && size.axes.back().axis == axis;
    if (!covered && groups == size.value) size.axes.push_back({axis, 0});
  }
}

// Whether the memory is as large as the size says, times other extents of the launch.
bool relate_to_memory(const LaunchRecord& launch, const std::vector<std::int64_t>& factors,
                      SizeArgument& size) {
  bool related = false;
  for (const auto& pointer : launch.pointers) {
    const auto& region = launch.regions[pointer.region];
    if (region.bytes <= pointer.displacement) continue;
    const auto bytes = static_cast<std::int64_t>(region.bytes - pointer.displacement);
    for (const std::int64_t extra : {0, 1}) {
      const auto count = size.value + extra;
      if (bytes % count) continue;
      const auto rest = bytes / count;
      if (rest <= 16 && (rest & (rest - 1)) == 0) {
        size.extents.push_back(
            {pointer.region, pointer.displacement, static_cast<std::uint64_t>(rest), extra});
        related = true;
        break;
      }
      const bool rows = extra == 0 && std::ranges::any_of(factors, [&](std::int64_t factor) {
                          const auto element = rest % factor == 0 ? rest / factor : 0;
                          return element > 0 && element <= 16 && (element & (element - 1)) == 0;
                        });
      if (!rows) continue;
      size.extents.push_back(
          {pointer.region, pointer.displacement, static_cast<std::uint64_t>(rest), extra});
      related = true;
      break;
    }
  }
  return related;
}

std::vector<std::int64_t> factors_of(const LaunchRecord& launch,
                                     const std::map<std::int64_t, SizeArgument>& candidates) {
  std::vector<std::int64_t> factors;
  for (const auto& [value, size] : candidates) factors.push_back(value);
  for (int axis = 0; axis < 3; ++axis) {
    if (groups_of(launch, axis) > 1) factors.push_back(groups_of(launch, axis));
    if (launch.grid[axis] > 1) factors.push_back(launch.grid[axis]);
  }
  return factors;
}

bool ascending_integers(std::span<const std::byte> contents, std::uint64_t width) {
  if (width != 4 && width != 8) return false;
  std::int64_t previous = 0;
  for (std::size_t at = 0; at + width <= contents.size(); at += width) {
    std::int64_t value = 0;
    std::memcpy(&value, contents.data() + at, width);
    if (value < previous) return false;
    previous = value;
  }
  return true;
}

// New elements repeat the recorded ones; of sorted ones (row starts) the last.
bool grow(std::vector<std::byte>& contents, const SizeArgument::Extent& extent,
          std::int64_t added) {
  const auto begin = static_cast<std::ptrdiff_t>(extent.displacement);
  const std::vector<std::byte> old(contents.begin() + begin, contents.end());
  const auto width = extent.element_bytes;
  const auto total = old.size() + static_cast<std::uint64_t>(added) * width;
  if (old.size() < width || total > kLargestRegion) return false;
  const bool sorted = ascending_integers(old, width);
  contents.resize(extent.displacement + total);
  for (std::uint64_t at = old.size(); at < total; ++at) {
    const auto from = sorted ? old.size() - width + at % width : at % old.size();
    contents[extent.displacement + at] = old[from];
  }
  return true;
}

}  // namespace

std::vector<SizeArgument> find_sizes(const LaunchRecord& launch, const KernelMetadata& kernel,
                                     const std::vector<std::string>& types) {
  auto candidates = candidates_of(launch, kernel, types);
  const auto factors = factors_of(launch, candidates);
  std::vector<SizeArgument> sizes;
  for (auto& [value, size] : candidates) {
    relate_to_grid(launch, size);
    const bool in_memory = relate_to_memory(launch, factors, size);
    if (!size.axes.empty() || in_memory) sizes.push_back(std::move(size));
  }
  return sizes;
}

std::optional<LaunchRecord> resized_launch(const LaunchRecord& launch, const SizeArgument& size,
                                           std::int64_t value) {
  if (value > size.value && size.extents.empty()) return std::nullopt;
  LaunchRecord made = launch;
  for (const auto& extent : size.extents) {
    const Region& recorded = launch.regions[extent.region];
    Region& region = made.regions[extent.region];
    if (value <= size.value || region.bytes != recorded.bytes) continue;
    const auto added = static_cast<std::uint64_t>(value - size.value);
    if (recorded.kind == MemoryKind::global || added > kLargestRegion) return std::nullopt;
    region.bytes += added * extent.element_bytes;
    if (region.bytes - extent.displacement > kLargestRegion) return std::nullopt;
  }
  for (const auto offset : size.offsets) {
    std::memcpy(made.kernarg.data() + offset, &value, size.bytes);
  }
  for (const auto& [axis, items] : size.axes) {
    const std::int64_t groups = items ? (value + items - 1) / items : value;
    const std::int64_t total = groups * launch.block[axis];
    if (groups < 1 || total > kLargestSize) return std::nullopt;
    made.grid[axis] = static_cast<std::uint32_t>(total);
  }
  return made;
}

std::optional<OtherLaunch> resized(const LaunchRecord& launch, const Image& before,
                                   const SizeArgument& size, std::int64_t value) {
  auto record = resized_launch(launch, size, value);
  if (!record) return std::nullopt;
  OtherLaunch made{std::move(*record), before, ""};
  for (const auto& extent : size.extents) {
    const auto bytes = made.record.regions[extent.region].bytes;
    if (value <= size.value || made.before[extent.region].size() == bytes) continue;
    if (!grow(made.before[extent.region], extent, value - size.value)) return std::nullopt;
  }
  made.what = "size " + std::to_string(value) + " in place of " + std::to_string(size.value) +
              " (" + size.name + ")";
  return made;
}

std::vector<std::int64_t> sizes_to_try(const LaunchRecord& launch, const SizeArgument& size) {
  const auto block = static_cast<std::int64_t>(launch.block[0]);
  std::vector<std::int64_t> sizes;
  const auto add = [&](std::int64_t value) {
    if (value < 1 || value == size.value) return;
    if (std::ranges::find(sizes, value) == sizes.end()) sizes.push_back(value);
  };
  add((size.value * 2 / 3) | 1);
  add(size.value - 1);
  add(size.value + 1);
  // Far beyond what was recorded, where that costs little.
  if (region_bytes(launch) <= kSmall) add(size.value * (region_bytes(launch) <= kTiny ? 5 : 2) + 1);
  if (block + 1 < size.value) add(block + 1);
  add(1);
  return sizes;
}

namespace {

// The value nearest to one that is wanted at which a launch runs: neighbours first, then the next
// rounder ones (a condition may ask for multiples).
std::optional<std::int64_t> nearest(std::int64_t wanted,
                                    const std::function<bool(std::int64_t)>& runs) {
  constexpr std::int64_t kNeighbours = 64, kRoundest = std::int64_t{1} << 12;
  for (std::int64_t off = 0; off <= kNeighbours; ++off) {
    for (const auto value : {wanted - off, wanted + off})
      if (value >= 1 && runs(value)) return value;
  }
  for (std::int64_t round = 2 * kNeighbours; round <= kRoundest; round *= 2) {
    for (const auto value : {wanted / round * round, (wanted / round + 1) * round})
      if (value >= 1 && runs(value)) return value;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> sizes_that_run(const LaunchRecord& launch, const SizeArgument& size,
                                         const std::vector<std::int64_t>& compared_with,
                                         const std::function<bool(const LaunchRecord&)>& takes) {
  const auto runs = [&](std::int64_t value) {
    if (value == size.value) return false;
    const auto made = resized_launch(launch, size, value);
    return made && takes(*made);
  };
  std::vector<std::int64_t> sizes;
  const auto add = [&](std::int64_t value) {
    if (std::ranges::find(sizes, value) == sizes.end()) sizes.push_back(value);
  };
  for (const auto wanted : sizes_to_try(launch, size)) {
    if (!resized_launch(launch, size, wanted)) continue;
    if (const auto value = nearest(wanted, runs)) add(*value);
  }
  // A condition that names a number of its own is asked about it.
  constexpr std::size_t kMostNamed = 4;
  const auto most = sizes.size() + kMostNamed;
  for (const auto number : compared_with) {
    for (const std::int64_t value : {number, number - 1, number + 1})
      if (sizes.size() < most && value >= 1 && value <= kLargestSize && runs(value)) add(value);
  }
  return sizes;
}

OtherLaunch unaligned(const LaunchRecord& launch, const Image& before,
                      const std::vector<std::size_t>& element_bytes) {
  OtherLaunch made{launch, before, "buffers aligned to their elements alone"};
  for (std::size_t i = 0; i < made.record.regions.size(); ++i) {
    auto& region = made.record.regions[i];
    if (region.kind != MemoryKind::global) region.base += element_bytes[i];
  }
  for (const auto& pointer : launch.pointers) {
    const auto value = made.record.regions[pointer.region].base + pointer.displacement;
    std::memcpy(made.record.kernarg.data() + pointer.offset, &value, 8);
  }
  // Addresses in memory are the recorded ones: they move too.
  relocate(made.before, recorded_bases(launch), recorded_bases(made.record),
           without_addresses(launch));
  return made;
}

}  // namespace geak::replay

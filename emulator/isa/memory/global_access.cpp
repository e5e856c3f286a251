#include <fmt/format.h>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/memory/lane_access.h"
#include "emulator/isa/memory/lane_addresses.h"
#include "emulator/memory/page_map.h"

namespace geak::emulator {
namespace {

constexpr unsigned kPageBits = PageMap::kPageBits;

TrafficCounters& counters_of(MemoryMeter& meter, Direction direction) {
  switch (direction) {
    case Direction::read:
      return meter.counters.read;
    case Direction::write:
      return meter.counters.write;
    default:
      return meter.counters.atomic;
  }
}

[[gnu::cold]] bool memory_fault(Wave& wave, const Instruction* instruction, unsigned lane,
                                std::uint64_t address, unsigned bytes, Direction direction,
                                const char* why) {
  const char* verb = direction == Direction::read    ? "reads"
                     : direction == Direction::write ? "writes"
                                                     : "updates";
  fault(wave, instruction, FaultKind::memory,
        fmt::format("memory fault: lane {} {} {} bytes at {:#x}, {}: {}", lane, verb, bytes,
                    address, why, describe(wave, *instruction)));
  return false;
}

// The lanes of the mask whose elements do not lie on the lines of the lane before them.
std::uint64_t lanes_of_new_lines(const LaneAddresses& addresses, std::uint64_t mask,
                                 unsigned bytes) {
  // Lanes behind an inactive one have nothing to be like.
  return mask & (line_changes(addresses.of, bytes) | ~(mask << 1));
}

// Whether all lanes' elements were given to the GPU. `new_lanes`: as lanes_of_new_lines().
bool pages_cover(const AddressShape& shape, const LaneAddresses& addresses, std::uint64_t new_lanes,
                 unsigned bytes) {
  const PageMap& pages = PageMap::instance();
  const std::uint64_t base = addresses.of[std::countr_zero(new_lanes)];
  if (shape.regular) return pages.covers(base, kLanes * bytes);
  // Most instructions stay in one page; an unaligned element may reach into the next.
  if (shape.differences >> kPageBits == 0) {
    const bool aligned = ((shape.differences | base) & (bytes - 1)) == 0;
    if (aligned && bytes != 12) return pages.covers(base);
    if (pages.covers(base | ((1u << kPageBits) - 1), bytes) && pages.covers(base)) return true;
  }
  std::uint64_t known = ~std::uint64_t{0};
  for (std::uint64_t left = new_lanes; left; left &= left - 1) {
    const std::uint64_t address = addresses.of[std::countr_zero(left)];
    const std::uint64_t page = address >> kPageBits;
    if (page == known && (address + bytes - 1) >> kPageBits == page) continue;
    if (!pages.covers(address, bytes)) return false;
    known = page;
  }
  return true;
}

[[gnu::cold]] bool uncovered(Wave& wave, const Instruction* instruction,
                             const LaneAddresses& addresses, std::uint64_t mask, unsigned bytes,
                             Direction direction) {
  unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
  while (PageMap::instance().covers(addresses.of[lane], bytes))
    lane = static_cast<unsigned>(std::countr_zero(mask &= mask - 1));
  return memory_fault(wave, instruction, lane, addresses.of[lane], bytes, direction,
                      "which was not given to the GPU");
}

// Lines of 64 bytes that the lanes touch one after the other.
struct TouchedLines {
  std::uint64_t of[2 * kLanes];
  unsigned count = 0;
  bool ascending = true;  // so that they are all different

  TouchedLines(const LaneAddresses& addresses, std::uint64_t new_lanes, unsigned bytes) {
    std::uint64_t last = ~std::uint64_t{0};
    for_lanes(new_lanes, [&](unsigned lane) {
      const std::uint64_t first = addresses.of[lane] >> 6;
      const std::uint64_t end = (addresses.of[lane] + bytes - 1) >> 6;
      for (std::uint64_t line = first; line <= end; ++line) {
        if (line == last) continue;
        ascending &= count == 0 || line > last;
        of[count++] = last = line;
      }
    });
  }
};

void count_line(MemoryMeter& meter, TrafficCounters& traffic, std::uint64_t line, bool is_new128,
                Direction direction) {
  ++traffic.lines64;
  traffic.lines128 += is_new128;
  if (direction == Direction::read)
    meter.read_line128(line >> 1, 1u << (line & 1));
  else if (is_new128)
    meter.write_line128(line >> 1);
}

// Distinct lines of scattered lanes.
void count_lines(MemoryMeter& meter, TrafficCounters& traffic, const LaneAddresses& addresses,
                 std::uint64_t new_lanes, unsigned bytes, Direction direction) {
  const TouchedLines lines(addresses, new_lanes, bytes);
  if (lines.ascending) {
    std::uint64_t last128 = ~std::uint64_t{0};
    for (unsigned n = 0; n < lines.count; ++n) {
      const std::uint64_t line128 = lines.of[n] >> 1;
      count_line(meter, traffic, lines.of[n], line128 != last128, direction);
      last128 = line128;
    }
    return;
  }
  meter.lines64.clear();
  meter.lines128.clear();
  for (unsigned n = 0; n < lines.count; ++n) {
    const std::uint64_t line = lines.of[n];
    if (meter.lines64.insert(line))
      count_line(meter, traffic, line, meter.lines128.insert(line >> 1), direction);
  }
}

void count_range(MemoryMeter& meter, TrafficCounters& traffic, std::uint64_t address,
                 std::uint64_t bytes, Direction direction) {
  const std::uint64_t end = address + bytes - 1;
  traffic.lines64 += (end >> 6) - (address >> 6) + 1;
  traffic.lines128 += (end >> 7) - (address >> 7) + 1;
  if (direction == Direction::read) {
    for (std::uint64_t line = address >> 7; line <= end >> 7; ++line) {
      const bool low = line * 2 >= address >> 6, high = line * 2 + 1 <= end >> 6;
      meter.read_line128(line, (low ? 1u : 0u) | (high ? 2u : 0u));
    }
  } else {
    for (std::uint64_t line = address >> 7; line <= end >> 7; ++line) meter.write_line128(line);
  }
}

}  // namespace

bool resolve_global(Wave& wave, const Instruction* instruction, const LaneAddresses& addresses,
                    std::uint64_t mask, unsigned bytes, Direction direction, LaneAccess& access) {
  access.mask = mask;
  access.stride = 4;
  access.lane_step = 0;
  access.run_step = kNoRuns;
  if (mask == 0) return true;
  const auto leader = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint64_t base = addresses.of[leader];

  const AddressShape shape = shape_of(addresses.of, mask, bytes);
  const std::uint64_t differences = shape.differences;
  const std::uint64_t new_lanes = shape.regular || differences == 0
                                      ? std::uint64_t{1} << leader
                                      : lanes_of_new_lines(addresses, mask, bytes);
  if (!pages_cover(shape, addresses, new_lanes, bytes)) [[unlikely]]
    return uncovered(wave, instruction, addresses, mask, bytes, direction);
  if (direction == Direction::atomic && ((differences | base) & (bytes - 1)) != 0)
    return memory_fault(wave, instruction, leader, base, bytes, direction,
                        "and an atomic operation must be aligned (in some lane it is not)");

  if (shape.regular)
    wave.workgroup->forecast.touch(instruction, base, std::uint64_t{kLanes} * bytes);
  MemoryMeter& meter = *wave.workgroup->memory;
  TrafficCounters& traffic = counters_of(meter, direction);
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  ++traffic.instructions;
  WaveSlot& slot = slot_of(wave);
  ++slot.outstanding_vector;
  meter.begin_access(wave.index_in_workgroup);
  const std::uint64_t lines_before = traffic.lines64;
  traffic.lanes += lanes;
  traffic.bytes += lanes * bytes;
  if (shape.regular) {
    access.lane_step = bytes;
    count_range(meter, traffic, base, std::uint64_t{kLanes} * bytes, direction);
  } else if (differences == 0) {
    count_range(meter, traffic, base, bytes, direction);
  } else {
    count_lines(meter, traffic, addresses, new_lanes, bytes, direction);
  }
  slot.clock.issue_vector(
      cycles_of(slot),
      meter.access_cycles(static_cast<std::uint32_t>(traffic.lines64 - lines_before)));
  access.run_step = shape.run_step;
  if (!access.takes_steps || shape.run_step == kNoRuns) {
    to_host_pointers(addresses.of, access.at);
    return true;
  }
  const unsigned step = shape.regular ? kLanes : kRunLanes;
  for (unsigned lane = 0; lane < kLanes; lane += step)
    access.at[lane] = reinterpret_cast<std::byte*>(host_address(addresses.of[lane]));
  return true;
}

}  // namespace geak::emulator

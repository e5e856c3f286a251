// memcheck: every access lies in a live allocation, in the workgroup's LDS, in the lane's scratch.
#include <fmt/format.h>

#include "emulator/check/checker.h"
#include "emulator/memory/page_map.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {
namespace {

const char* verb(Direction direction) {
  return direction == Direction::read    ? "read"
         : direction == Direction::write ? "write"
                                         : "atomic update";
}

// The compiler widens scalar loads within their aligned block: what is behind the end is thrown
// away, and can't fault.
bool is_widened_load(const Access& access, const Region& region) {
  return access.scalar && access.direction == Direction::read && region.holds(access.at[0], 1) &&
         (access.at[0] & (access.bytes - 1u)) == 0;
}

std::string distance(const Region& region, std::uint64_t address, unsigned bytes) {
  if (address < region.begin)
    return fmt::format("{} bytes before the begin of an allocation of {} bytes",
                       region.begin - address, region.bytes);
  if (address >= region.end())
    return fmt::format("{} bytes after the end of an allocation of {} bytes",
                       address - region.end(), region.bytes);
  return fmt::format("the last {} of them beyond the end of an allocation of {} bytes",
                     address + bytes - region.end(), region.bytes);
}

}  // namespace

std::uint64_t Checker::check_bounds(WaveSlot& wave, const Instruction& instruction,
                                    const Access& access) {
  if (!settings_.memcheck) return 0;
  switch (access.space) {
    case Space::global:
      return check_global(wave, instruction, access) | check_alignment(wave, instruction, access);
    case Space::lds:
      return check_segment(wave, instruction, access, wave.lds_bytes) |
             check_alignment(wave, instruction, access);
    default:
      return check_segment(wave, instruction, access, wave.scratch_bytes / kLanes);
  }
}

std::uint64_t Checker::check_global(WaveSlot& wave, const Instruction& instruction,
                                    const Access& access) {
  std::uint64_t bad = 0;
  for_lanes(access.mask, [&](unsigned lane) {
    const std::uint64_t address = access.at[lane];
    Region* region = regions_.find(address);
    if (region && !region->freed &&
        (region->holds(address, access.bytes) || is_widened_load(access, *region)))
      return;
    // Memory that has no exact size here: signals, queues, what the program registered.
    if (!region && PageMap::instance().covers(address, access.bytes)) return;
    bad |= std::uint64_t{1} << lane;
    report_bounds(wave, instruction, access, lane, region);
  });
  return bad;
}

void Checker::report_bounds(WaveSlot& wave, const Instruction& instruction, const Access& access,
                            unsigned lane, Region* region) {
  const std::uint64_t address = access.at[lane];
  const char* kind = !region         ? "invalid_address"
                     : region->freed ? "use_after_free"
                                     : "out_of_bounds";
  if (!wanted(wave, instruction, kind)) return;
  Finding finding;
  finding.tool = "memcheck";
  finding.kind = kind;
  finding.space = Space::global;
  finding.direction = access.direction;
  finding.address = address;
  finding.bytes = access.bytes;
  finding.region = region;
  const std::string what = fmt::format("{} of {} bytes", verb(access.direction), access.bytes);
  if (!region) {
    finding.region = regions_.nearest(address);
    finding.message = what + " at an address that was never given to the device";
  } else if (region->freed) {
    finding.message =
        fmt::format("{} at offset {} of a freed allocation of {} bytes", what,
                    static_cast<std::int64_t>(address - region->begin), region->bytes);
  } else {
    finding.message = what + ", " + distance(*region, address, access.bytes);
  }
  report(wave, instruction, std::move(finding), lane);
}

std::uint64_t Checker::check_segment(WaveSlot& wave, const Instruction& instruction,
                                     const Access& access, std::uint64_t limit) {
  const bool lds = access.space == Space::lds;
  std::uint64_t bad = 0;
  for_lanes(access.mask, [&](unsigned lane) {
    const std::uint64_t offset = access.at[lane];
    if (offset <= limit && access.bytes <= limit - offset) return;
    bad |= std::uint64_t{1} << lane;
    const char* kind = lds ? "lds_out_of_bounds" : "scratch_out_of_bounds";
    if (!wanted(wave, instruction, kind)) return;
    Finding finding;
    finding.tool = "memcheck";
    finding.kind = kind;
    finding.space = access.space;
    finding.direction = access.direction;
    finding.address = offset;
    finding.bytes = access.bytes;
    finding.message =
        fmt::format("{} of {} bytes at offset {} of {}", verb(access.direction), access.bytes,
                    static_cast<std::int32_t>(offset),
                    lds ? fmt::format("LDS, of which the workgroup has {} bytes", limit)
                        : fmt::format("scratch, of which the work-item has {} bytes", limit));
    report(wave, instruction, std::move(finding), lane);
  });
  return bad;
}

// Atomics must be aligned; scalar loads ignore the low bits, so that other data is read.
std::uint64_t Checker::check_alignment(WaveSlot& wave, const Instruction& instruction,
                                       const Access& access) {
  const unsigned alignment = access.direction == Direction::atomic ? access.bytes
                             : access.scalar                       ? 4
                                                                   : 1;
  if (alignment == 1) return 0;
  std::uint64_t bad = 0;
  for_lanes(access.mask, [&](unsigned lane) {
    if (access.at[lane] % alignment == 0) return;
    bad |= std::uint64_t{1} << lane;
    if (!wanted(wave, instruction, "misaligned")) return;
    Finding finding;
    finding.tool = "memcheck";
    finding.kind = "misaligned";
    finding.space = access.space;
    finding.direction = access.direction;
    finding.address = access.at[lane];
    finding.bytes = access.bytes;
    if (access.space == Space::global) finding.region = regions_.find(access.at[lane]);
    finding.message = fmt::format("{} of {} bytes at an address that is no multiple of {}",
                                  verb(access.direction), access.bytes, alignment);
    report(wave, instruction, std::move(finding), lane);
  });
  return bad;
}

}  // namespace geak::emulator::check

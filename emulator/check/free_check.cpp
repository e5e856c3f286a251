// memcheck of the program's own calls: what it frees was allocated, by the function's counterpart,
// and not freed before. leakcheck: what it did not free.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "emulator/check/checker.h"

namespace geak::emulator::check {
namespace {

// HIP's runtime frees memory of the device and of the host by either function.
bool runtime_takes(Family freed_as, Family family) {
  return freed_as == family || (freed_as <= Family::host && family <= Family::host);
}

const char* right_function(Family family) {
  switch (family) {
    case Family::device:
      return "hipFree";
    case Family::host:
      return "hipHostFree";
    case Family::array:
      return "hipFreeArray";
    default:
      return "hipFreeMipmappedArray";
  }
}

}  // namespace

void Checker::program_allocated(const char* function, Family family, std::uint64_t begin,
                                std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ProgramAllocation& added = program_memory_.add(function, family, begin, bytes);
  added.region.allocated_by = host_calls();
}

bool Checker::program_frees(const char* function, Family family, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto [state, allocation] = program_memory_.find(address);
  if (state == ProgramMemory::State::live) {
    allocation->region.freed_by = host_calls();
    program_memory_.mark_freed(*allocation);
    if (allocation->family == family) return true;
    report_free("mismatched_free",
                fmt::format("{} of memory that {} made, which is for {}", function,
                            allocation->function, right_function(allocation->family)),
                address, &allocation->region);
    return runtime_takes(family, allocation->family);
  }
  // Made by a call that no hook sees.
  if (const Region* region = regions_.find(address); state == ProgramMemory::State::unknown &&
                                                     region && region->begin == address &&
                                                     !region->freed)
    return true;
  report_bad_free(function, address, state, allocation);
  return false;
}

void Checker::report_bad_free(const char* function, std::uint64_t address,
                              ProgramMemory::State state, const ProgramAllocation* allocation) {
  const Region* region = allocation ? &allocation->region : nullptr;
  const auto offset = region ? address - region->begin : 0;
  switch (state) {
    case ProgramMemory::State::freed:
      report_free("double_free", fmt::format("{} of memory that was freed already", function),
                  address, region);
      break;
    case ProgramMemory::State::inside:
    case ProgramMemory::State::inside_freed:
      report_free(
          "invalid_free",
          fmt::format("{} of a pointer to offset {} of {} of {} bytes; it takes the begin "
                      "alone",
                      function, offset, region->freed ? "a freed allocation" : "an allocation",
                      region->bytes),
          address, region);
      break;
    default:
      report_free("invalid_free",
                  fmt::format("{} of a pointer that no HIP call has allocated", function), address,
                  nullptr);
  }
}

void Checker::report_free(const char* kind, std::string message, std::uint64_t address,
                          const Region* region) {
  if (!settings_.memcheck) return;
  Finding finding;
  finding.tool = "memcheck";
  finding.kind = kind;
  finding.message = std::move(message);
  finding.address = address;
  finding.region = region;
  finding.host_calls = host_calls();
  // The program may be ended by what it does next.
  if (log_.add_host(finding)) write_output();
}

void Checker::report_leaks() {
  std::vector<const ProgramAllocation*> left;
  program_memory_.for_each_live([&](const ProgramAllocation& each) { left.push_back(&each); });
  std::sort(left.begin(), left.end(),
            [](const auto* a, const auto* b) { return a->region.serial < b->region.serial; });
  for (const ProgramAllocation* each : left) {
    Finding finding;
    finding.tool = "leakcheck";
    finding.kind = "leak";
    finding.region = &each->region;
    finding.message = each->region.bytes
                          ? fmt::format("{} bytes were never freed", each->region.bytes)
                          : "an array was never freed";
    log_.add_host(finding);
  }
}

}  // namespace geak::emulator::check

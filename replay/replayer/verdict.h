// Why a candidate lost, in words.
#pragma once

#include <string>

#include "replay/archive/reader.h"
#include "replay/judge/attack_names.h"
#include "replay/judge/compare.h"
#include "replay/replayer/device.h"

namespace geak::replay {

struct Verdict {
  std::string reason;
  std::string attack;  // empty: of no known kind
};

// The candidate faulted `where` ("on the recorded input").
Verdict fault_verdict(const std::string& where, const DeviceFault& fault);

std::string describe(const Difference& difference, const std::string& region, ElementType type);
// "the buffer of the argument at kernarg offset 8"
std::string name_of_region(const LaunchRecord& record, std::size_t index);

}  // namespace geak::replay

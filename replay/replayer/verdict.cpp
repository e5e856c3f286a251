#include "replay/replayer/verdict.h"

#include <cstdio>

namespace geak::replay {

Verdict fault_verdict(const std::string& where, const DeviceFault& fault) {
  const std::string what = fault.what();
  const auto has = [&](const char* words) { return what.find(words) != std::string::npos; };
  std::string attack;
  if (has("memory of its arguments")) attack = "3, 5, 6, 7: state kept behind its arguments";
  if (has("completion signal")) attack = "4: timer or synchronisation evaded";
  if (has("did not end")) attack = "2: work that goes on in the background";
  if (has("emory fault") || has("MEMORY_FAULT") || has("emory access")) {
    attack = "19, 24: touches memory that it was not given";
  }
  return {"the candidate fails " + where + ": " + what, attack};
}

std::string describe(const Difference& difference, const std::string& region, ElementType type) {
  char text[256];
  std::snprintf(text, sizeof text,
                "%zu of %zu elements of %s (%s) differ; at %zu expected %.9g, found %.9g",
                difference.elements, difference.compared, region.c_str(), name_of(type),
                difference.first, difference.expected, difference.found);
  return text;
}

std::string name_of_region(const LaunchRecord& record, std::size_t index) {
  const auto& region = record.regions[index];
  if (region.kind == MemoryKind::global) return "variable " + region.name;
  for (const auto& pointer : record.pointers) {
    if (pointer.region == index) {
      return "the buffer of the argument at kernarg offset " + std::to_string(pointer.offset);
    }
  }
  return "a buffer reached through memory";
}

}  // namespace geak::replay

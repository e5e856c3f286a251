// Which memory the program has, by address.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "replay/archive/records.h"

namespace geak::replay {

struct Allocation {
  std::uint64_t base = 0, bytes = 0;
  MemoryKind kind = MemoryKind::device;
  std::string name;                // of a global
  std::uint64_t host_address = 0;  // where the host reads it, for kinds host and managed
};

class MemoryMap {
 public:
  // Replaces whatever overlapped: its end was not seen.
  void add(Allocation allocation);
  void remove(std::uint64_t base);
  // The allocation that holds the address; with `allow_end` also one that ends there.
  const Allocation* find(std::uint64_t address, bool allow_end = false) const;
  // No address outside of [lowest, highest) is in any allocation: a cheap test for scans.
  std::uint64_t lowest() const;
  std::uint64_t highest() const;

 private:
  std::map<std::uint64_t, Allocation> by_base_;
};

}  // namespace geak::replay

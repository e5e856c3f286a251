// What the program itself allocated and freed, call by call: the runtime's allocations aren't among
// it, but the parts of pools and managed memory are, which HSA knows nothing of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "emulator/check/memory_regions.h"

namespace geak::emulator::check {

// Which function frees what another has allocated.
enum class Family : std::uint8_t {
  device,     // hipMalloc and its like, managed and stream-ordered memory: hipFree, hipFreeAsync
  host,       // hipHostMalloc and its like: hipHostFree
  array,      // hipMallocArray and its like: hipFreeArray
  mipmapped,  // hipMallocMipmappedArray: hipFreeMipmappedArray
};

struct ProgramAllocation {
  std::string function;  // that made it
  Family family = Family::device;
  Region region;
};

class ProgramMemory {
 public:
  // A pointer that the program wants to free.
  enum class State : std::uint8_t { live, freed, inside, inside_freed, unknown };
  struct Place {
    State state = State::unknown;
    ProgramAllocation* allocation = nullptr;  // nullptr where unknown
  };

  // What was freed there before is forgotten.
  ProgramAllocation& add(std::string function, Family family, std::uint64_t begin,
                         std::uint64_t bytes);
  Place find(std::uint64_t address);
  // It stays known as freed, until many others were freed.
  void mark_freed(ProgramAllocation& allocation);

  template <typename Visit>
  void for_each_live(Visit&& visit) const {
    for (const auto& [begin, allocation] : by_begin_)
      if (!allocation.region.freed) visit(allocation);
  }

  static constexpr std::size_t kMostFreed = 1 << 16;

 private:
  std::map<std::uint64_t, ProgramAllocation> by_begin_;
  // Of those freed, by begin and number: the number tells whether the address was given again.
  std::deque<std::pair<std::uint64_t, std::uint64_t>> freed_;
  std::uint64_t next_serial_ = 1;
};

}  // namespace geak::emulator::check

// What memory a launch can reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "replay/archive/records.h"
#include "replay/code_object/kernel_metadata.h"
#include "replay/recorder/memory_map.h"

namespace geak::replay {

struct Reachable {
  struct Memory {
    Allocation allocation;
    std::vector<std::byte> contents;
  };
  std::vector<Memory> memory;             // in the order found
  std::vector<PointerArgument> pointers;  // into `memory`
  std::vector<std::string> notes;
  std::uint64_t bytes = 0;
  bool too_large = false;  // stopped: more than the limit
};

// Reads the contents of an allocation; throws where it can't.
using ReadMemory = std::function<std::vector<std::byte>(const Allocation&)>;
// The allocation at an address that the map does not know, if anything knows it.
using AskRuntime = std::function<const Allocation*(std::uint64_t address)>;

// Follows the kernel's pointers, words of by-value arguments that are addresses of known memory,
// and such words in whatever is reached. `globals` of the code object are always reached.
Reachable find_reachable(const MemoryMap& map, const KernelMetadata& kernel,
                         const std::vector<std::uint8_t>& kernarg,
                         const std::vector<Allocation>& globals, std::uint64_t limit,
                         const ReadMemory& read, const AskRuntime& ask);

}  // namespace geak::replay

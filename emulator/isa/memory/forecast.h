// Has the host fetch the memory of a vector memory instruction before it is executed.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/memory/page_map.h"

namespace geak::emulator {

// Where each instruction goes next, if the step from its last execution to this one, in a loop or
// by the next wave, is taken once more. A wrong guess costs nothing but the host's bandwidth.
class Forecast {
 public:
  // The instruction touches `bytes` from `address` on.
  void touch(const void* instruction, std::uint64_t address, std::uint64_t bytes) {
    Entry& entry =
        entries_[(reinterpret_cast<std::uintptr_t>(instruction) / kInstructionBytes) % kEntries];
    const std::uint64_t expected = entry.next;
    const bool known = entry.instruction == instruction;
    const std::uint64_t step = known ? address - entry.last : 0;
    entry = {instruction, address, address + step};
    if (!known || expected != address) fetch(address, bytes);
    if (step != 0) fetch(address + step, bytes);
  }

 private:
  static constexpr std::uintptr_t kInstructionBytes = 64, kEntries = 64;

  struct Entry {
    const void* instruction = nullptr;
    std::uint64_t last = 0, next = 0;
  };

  static void fetch(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t begin = host_address(address) & ~std::uint64_t{63};
    const std::uint64_t end = host_address(address) + bytes;
    for (std::uint64_t line = begin; line < end; line += 64)
      __builtin_prefetch(reinterpret_cast<const void*>(line), 0, 3);
  }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace geak::emulator

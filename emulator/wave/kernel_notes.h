// What a code object's metadata says of a kernel beyond its descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace geak::emulator {

// Registers that the compiler had no place for (AMDGPUUsage, "Code Object V3 Metadata").
struct SpillCounts {
  std::uint32_t vgprs = 0;
  std::uint32_t sgprs = 0;
};

// By kernel, without ".kd". Empty where the file has no metadata or a malformed one: a program runs
// without.
std::map<std::string, SpillCounts, std::less<>> read_spill_counts(std::span<const std::byte> elf);

}  // namespace geak::emulator

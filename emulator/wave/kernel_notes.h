// What a code object's metadata says of a kernel beyond its descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace geak::emulator {

// Registers that the compiler had no place for (AMDGPUUsage, "Code Object V3 Metadata").
struct SpillCounts {
  std::uint32_t vgprs = 0;
  std::uint32_t sgprs = 0;
};

// By kernel, without ".kd". Empty where the file has no metadata or a malformed one: a program runs
// without.
std::map<std::string, SpillCounts, std::less<>> read_spill_counts(std::span<const std::byte> elf);

// By kernel, without ".kd": the offset of the first hidden argument of this kind and size. Kernels
// that have none are left out.
std::map<std::string, std::uint32_t, std::less<>> read_hidden_offsets(
    std::span<const std::byte> elf, std::string_view value_kind, std::uint32_t bytes);

}  // namespace geak::emulator

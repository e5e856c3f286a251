// How a gfx942 code object that is presented as gfx90a to the HIP runtime is told from a real one.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace geak::emulator {

// Stands in the padding of the ELF identification (bytes 9 to 15), which nothing reads. The preload
// library writes it, the loader reads it.
inline constexpr std::size_t kGfx942MarkOffset = 10;
inline constexpr char kGfx942Mark[6] = {'g', 'f', 'x', '9', '4', '2'};

inline bool has_gfx942_mark(std::span<const std::byte> elf) {
  return elf.size() >= 16 &&
         std::memcmp(elf.data() + kGfx942MarkOffset, kGfx942Mark, sizeof kGfx942Mark) == 0;
}

}  // namespace geak::emulator

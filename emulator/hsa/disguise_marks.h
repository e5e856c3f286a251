// How a code object that is presented to the HIP runtime as another than it is is known again. The
// preload library writes these marks, the loader reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace geak::emulator {

// They stand in the padding of the ELF identification (bytes 9 to 15), which nothing reads.
inline constexpr std::size_t kAbiMarkOffset = 9;
inline constexpr std::size_t kGfx942MarkOffset = 10;
inline constexpr char kGfx942Mark[6] = {'g', 'f', 'x', '9', '4', '2'};

// A gfx942 code object that says gfx90a.
inline bool has_gfx942_mark(std::span<const std::byte> elf) {
  return elf.size() >= 16 &&
         std::memcmp(elf.data() + kGfx942MarkOffset, kGfx942Mark, sizeof kGfx942Mark) == 0;
}

// The ABI version that the ELF header had before it was presented as an older one; 0: it wasn't.
// In such an object a hidden kernel argument of the kind "hidden_none" and of 4 bytes is the size
// of dynamic LDS: the runtime knows no such argument, and the device's side fills it.
inline unsigned marked_abi_version(std::span<const std::byte> elf) {
  return elf.size() >= 16 ? static_cast<unsigned>(elf[kAbiMarkOffset]) : 0;
}

// The scratch of a work-item in a marked object whose stack no compiler could measure: what code
// objects of version 4 assume of calls that it can't follow.
inline constexpr std::uint32_t kAssumedStackBytes = 16384;

}  // namespace geak::emulator

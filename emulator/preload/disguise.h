// Presenting gfx942 code objects as gfx90a: Debian's HIP runtime knows no later instruction set.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace geak::emulator {

// A copy of an offload bundle in which the entries for gfx942 are named gfx90a and their code
// objects carry gfx90a's machine number and the mark of gfx942_mark.h, by which the emulator's
// loader knows them again. Entries for the real gfx90a are renamed, so that they aren't chosen. A
// code object alone is treated alike. Empty when there is nothing for gfx942 in it, or it is
// malformed: the caller then passes on what it got.
std::vector<std::byte> disguise_gfx942(std::span<const std::byte> image);

// The size of the bundle or code object that begins there, as its own headers say; 0 when it is
// neither.
std::size_t image_bytes(const void* image);

}  // namespace geak::emulator

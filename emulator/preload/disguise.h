// Presenting device code to Debian's HIP runtime (5.2) as what it can read.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "emulator/model/device.h"

namespace geak::emulator {

// A copy of an offload bundle, or of a code object alone, that the HIP 5.2 runtime takes:
//  - a compressed bundle is decompressed (the runtime knows none);
//  - a code object of version 5 or 6 says version 4 in its ELF header. The runtime itself knows
//    version 5 by the metadata, but the library that it asks for the header's target does not; 6
//    differs from it only for targets that stand for several processors;
//  - its metadata is changed as kernel_metadata.h says;
//  - for a gfx942 device, entries for gfx942 are named gfx90a and their code objects carry gfx90a's
//    machine number. Entries for the real gfx90a are renamed, so that they aren't chosen.
// The loader knows what a code object was by the marks of disguise_marks.h.
//
// Empty when there is nothing to change, or it is malformed: the caller then passes on what it got.
// Throws std::runtime_error for a compressed bundle that cannot be read.
std::vector<std::byte> disguise(std::span<const std::byte> image, Arch device);

}  // namespace geak::emulator

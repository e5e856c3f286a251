// The encodings of GFX9 (gfx90a, gfx942): which format a word has, and the fields of each format.
// Source of the layouts: AMD's ISA manuals of MI200 and MI300.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/isa/instruction.h"
#include "emulator/model/device.h"

namespace geak::emulator {

Format format_of(std::uint32_t word);

// Fills every operand and modifier field of `instruction` from its encoding; `words` holds at least
// `size` bytes. `mnemonic` is the base mnemonic: it decides what shares an encoding (VOP3A or
// VOP3B, implied VCC, a trailing constant).
void read_fields(Arch arch, std::string_view mnemonic, const std::uint32_t* words, unsigned size,
                 Instruction& instruction);

}  // namespace geak::emulator

// VGPR indexing: how the interpreter executes an instruction while MODE.GPR_IDX_EN is set.
#pragma once

#include "emulator/wave/wave.h"

namespace geak::emulator {

inline constexpr std::uint32_t kModeIndexing = 1u << 27;

const Instruction* execute_indexed(Wave& wave, const Instruction* instruction);

}  // namespace geak::emulator

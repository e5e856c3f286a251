// A code object whose kernel rounds in another direction.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace geak::replay {

enum class Rounding { nearest_even, up, down, to_zero };  // values of the hardware's mode field

// The same code, launched with another rounding mode for all floating-point types
// (FLOAT_ROUND_MODE of the kernel's descriptor; AMDGPUUsage, "compute_pgm_rsrc1"). None where the
// kernel's descriptor can't be found, or it asks for a mode of its own already. `file`: an AMDGPU
// ELF.
std::optional<std::vector<std::byte>> with_rounding(std::span<const std::byte> file,
                                                    const std::string& kernel, Rounding rounding);

}  // namespace geak::replay

// Looks at the device code within a program before it is run: what its HIP runtime would fail on
// without a word.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace geak::cli {

// Why the HIP 5 runtime cannot run code from this .hip_fatbin section, and what to do; empty where
// it can, or where the section is not understood.
std::string problem_of_hip5_code(std::span<const std::byte> section);

// The same of a program. Empty too for what is no ELF file or is linked to another runtime.
std::string problem_of_program(const std::filesystem::path& program);

}  // namespace geak::cli

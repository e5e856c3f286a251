// Small code objects for tests, made by LLVM's assembler and linker.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace geak::emulator {

// Assembles and links `source` for the processor. Throws std::runtime_error with the tools' output.
std::vector<std::byte> assemble(const std::string& source, const std::string& processor,
                                unsigned code_object_version = 4);

}  // namespace geak::emulator

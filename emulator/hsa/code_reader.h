// Code objects from files.
#pragma once

#include <hsa/hsa.h>

#include <memory>

#include "emulator/hsa/executable.h"

namespace geak::emulator {

// `size` 0: to the end of the file. Throws StatusError INVALID_FILE.
std::unique_ptr<CodeReader> read_code_file(hsa_file_t file, std::size_t offset, std::size_t size);

}  // namespace geak::emulator

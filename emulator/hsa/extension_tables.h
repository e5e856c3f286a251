// The AMD loader extension; images and the AQL profiler aren't there.
#pragma once

#include <hsa/hsa.h>

#include <cstddef>
#include <cstdint>

namespace geak::emulator {

bool has_extension(std::uint16_t extension, std::uint16_t major);
std::uint16_t extension_minor(std::uint16_t extension);
const char* extension_name(std::uint16_t extension);  // nullptr: unknown

// Copies at most `bytes` of the table. Throws StatusError when there is no such extension.
hsa_status_t put_extension_table(std::uint16_t extension, std::uint16_t major, std::size_t bytes,
                                 void* table);
// 128 bytes, one bit an extension.
hsa_status_t put_extension_bits(void* to);

}  // namespace geak::emulator

// zstd over whole texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace geak::worker {

// Both throw std::runtime_error.
std::string compressed(std::string_view text);
std::string decompressed(std::string_view stored, std::uint64_t raw_bytes);

}  // namespace geak::worker

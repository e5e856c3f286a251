// Offload bundles that clang compressed (--offload-compress).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace geak::support {

bool is_compressed_bundle(std::span<const std::byte> image);

// The whole size as the header says it, so that `image` need not say where it ends; 0 for a version
// that says none.
std::size_t compressed_bundle_bytes(const std::byte* image);

// The bundle within. Throws std::runtime_error for a damaged one, a version before 2, and one that
// isn't compressed with zstd.
std::vector<std::byte> decompress_bundle(std::span<const std::byte> image);

// The same where nothing says where the image ends: its header is trusted, as the HIP runtime
// trusts that of a plain bundle.
std::vector<std::byte> decompress_bundle(const std::byte* image);

}  // namespace geak::support

// The memory of a launch on the host: contents of each region, and where addresses are in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "replay/archive/reader.h"

namespace geak::replay {

// Addresses of the regions, in their order.
using Bases = std::vector<std::uint64_t>;
using Image = std::vector<std::vector<std::byte>>;  // contents of each region

// One aligned word of a region that holds an address within a region.
struct StoredPointer {
  std::uint32_t region = 0, target = 0;
  std::uint64_t offset = 0;        // in `region`
  std::uint64_t displacement = 0;  // in `target`
};

Bases recorded_bases(const LaunchRecord& launch);
Image read_before(const ArchiveReader& archive, const LaunchRecord& launch);
Image read_after(const ArchiveReader& archive, const LaunchRecord& launch);

// Of each region, whether it is known to hold no addresses.
std::vector<bool> without_addresses(const LaunchRecord& launch);

// Finds all such words, for regions that lie at `bases`, but in those of `without`.
std::vector<StoredPointer> find_pointers(const Image& image, const Bases& bases,
                                         const std::vector<bool>& without);

// Rewrites each such word of `image` from addresses at `from` to addresses at `to`.
void relocate(Image& image, const Bases& from, const Bases& to, const std::vector<bool>& without);

// The explicit kernarg bytes with pointers moved to `to`.
std::vector<std::uint8_t> relocated_kernarg(const LaunchRecord& launch, const Bases& to);

}  // namespace geak::replay

#include "replay/replayer/image.h"

#include <algorithm>
#include <cstring>

namespace geak::replay {
namespace {

// Finds the region of an address, by bisection over the sorted bases.
class RegionIndex {
 public:
  RegionIndex(const Bases& bases, const Image& image) {
    for (std::uint32_t i = 0; i < bases.size(); ++i) {
      entries_.push_back({bases[i], image[i].size(), i});
    }
    std::ranges::sort(entries_, {}, &Entry::base);
    if (entries_.empty()) return;
    lowest_ = entries_.front().base;
    highest_ = entries_.back().base + entries_.back().bytes;
  }

  // Index of the region, and in `displacement` where in it; -1: none.
  int find(std::uint64_t address, std::uint64_t& displacement) const {
    if (address < lowest_ || address >= highest_) return -1;
    auto at = std::ranges::upper_bound(entries_, address, {}, &Entry::base);
    if (at == entries_.begin()) return -1;
    --at;
    displacement = address - at->base;
    return displacement < at->bytes ? static_cast<int>(at->region) : -1;
  }

 private:
  struct Entry {
    std::uint64_t base, bytes;
    std::uint32_t region;
  };
  std::vector<Entry> entries_;
  std::uint64_t lowest_ = 1, highest_ = 0;
};

template <typename Use>
void each_pointer(const Image& image, const Bases& bases, const Use& use) {
  const RegionIndex index(bases, image);
  for (std::uint32_t region = 0; region < image.size(); ++region) {
    const auto& contents = image[region];
    for (std::size_t at = 0; at + 8 <= contents.size(); at += 8) {
      std::uint64_t value, displacement = 0;
      std::memcpy(&value, contents.data() + at, 8);
      const int target = index.find(value, displacement);
      if (target >= 0) {
        use(StoredPointer{region, static_cast<std::uint32_t>(target), at, displacement});
      }
    }
  }
}

Image read(const ArchiveReader& archive, const LaunchRecord& launch, Content Region::* which) {
  Image image;
  for (const auto& region : launch.regions) image.push_back(archive.bytes_of(region.*which));
  return image;
}

}  // namespace

Bases recorded_bases(const LaunchRecord& launch) {
  Bases bases;
  for (const auto& region : launch.regions) bases.push_back(region.base);
  return bases;
}

Image read_before(const ArchiveReader& archive, const LaunchRecord& launch) {
  return read(archive, launch, &Region::before);
}

Image read_after(const ArchiveReader& archive, const LaunchRecord& launch) {
  return read(archive, launch, &Region::after);
}

std::vector<StoredPointer> find_pointers(const Image& image, const Bases& bases) {
  std::vector<StoredPointer> found;
  each_pointer(image, bases, [&](const StoredPointer& pointer) { found.push_back(pointer); });
  return found;
}

void relocate(Image& image, const Bases& from, const Bases& to) {
  for (const auto& pointer : find_pointers(image, from)) {
    const std::uint64_t value = to[pointer.target] + pointer.displacement;
    std::memcpy(image[pointer.region].data() + pointer.offset, &value, 8);
  }
}

std::vector<std::uint8_t> relocated_kernarg(const LaunchRecord& launch, const Bases& to) {
  auto bytes = launch.kernarg;
  for (const auto& pointer : launch.pointers) {
    const std::uint64_t value = to[pointer.region] + pointer.displacement;
    std::memcpy(bytes.data() + pointer.offset, &value, 8);
  }
  return bytes;
}

}  // namespace geak::replay

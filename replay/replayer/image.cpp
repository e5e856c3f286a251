#include "replay/replayer/image.h"

#include <algorithm>
#include <cstring>

#include "support/in_chunks.h"

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

constexpr std::size_t kWordsAtOnce = 1u << 20;

// Of one region, in the order of their offsets.
void append_pointers(const std::vector<std::byte>& contents, std::uint32_t region,
                     const RegionIndex& index, std::vector<StoredPointer>& found) {
  const std::size_t words = contents.size() / 8;
  std::vector<std::vector<StoredPointer>> parts((words + kWordsAtOnce - 1) / kWordsAtOnce);
  support::in_chunks(
      words, kWordsAtOnce, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        for (std::size_t word = begin; word < end; ++word) {
          std::uint64_t value, displacement = 0;
          std::memcpy(&value, contents.data() + word * 8, 8);
          const int target = index.find(value, displacement);
          if (target >= 0)
            parts[chunk].push_back(
                {region, static_cast<std::uint32_t>(target), word * 8, displacement});
        }
      });
  for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
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

std::vector<bool> without_addresses(const LaunchRecord& launch) {
  std::vector<bool> without;
  for (const auto& region : launch.regions) without.push_back(region.without_addresses);
  return without;
}

std::vector<StoredPointer> find_pointers(const Image& image, const Bases& bases,
                                         const std::vector<bool>& without) {
  const RegionIndex index(bases, image);
  std::vector<StoredPointer> found;
  for (std::uint32_t region = 0; region < image.size(); ++region)
    if (!without[region]) append_pointers(image[region], region, index, found);
  return found;
}

void relocate(Image& image, const Bases& from, const Bases& to, const std::vector<bool>& without) {
  for (const auto& pointer : find_pointers(image, from, without)) {
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

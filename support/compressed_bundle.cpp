#include "support/compressed_bundle.h"

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace geak::support {
namespace {

constexpr std::string_view kMagic = "CCOB";
constexpr std::uint64_t kMostBytes = 4ull << 30;
constexpr std::uint64_t kLongestHeader = 32;

template <typename T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Magic, u16 version, u16 method (1: zstd), then the sizes of the file and of what is in it, of 4
// bytes in version 2 and 8 in version 3, and a hash of 8 bytes.
struct Header {
  unsigned version = 0, method = 0;
  std::uint64_t file = 0, contents = 0;
  std::size_t bytes = 0;  // of the header; 0: a version that is not known
};

Header header_of(const std::byte* image) {
  Header header{read<std::uint16_t>(image + 4), read<std::uint16_t>(image + 6), 0, 0, 0};
  if (header.version == 2) {
    header.file = read<std::uint32_t>(image + 8);
    header.contents = read<std::uint32_t>(image + 12);
    header.bytes = 24;
  } else if (header.version == 3) {
    header.file = read<std::uint64_t>(image + 8);
    header.contents = read<std::uint64_t>(image + 16);
    header.bytes = 32;
  }
  return header;
}

}  // namespace

bool is_compressed_bundle(std::span<const std::byte> image) {
  return image.size() >= kMagic.size() &&
         std::memcmp(image.data(), kMagic.data(), kMagic.size()) == 0;
}

std::size_t compressed_bundle_bytes(const std::byte* image) { return header_of(image).file; }

std::vector<std::byte> decompress_bundle(std::span<const std::byte> image) {
  const auto damaged = [] { return std::runtime_error("a damaged offload bundle"); };
  if (image.size() < kLongestHeader) throw damaged();  // the shortest contents are longer, too
  const Header header = header_of(image.data());
  if (header.bytes == 0)
    throw std::runtime_error("a compressed offload bundle of version " +
                             std::to_string(header.version) + " (2 and 3 are read)");
  if (header.method != 1)
    throw std::runtime_error("an offload bundle that is not compressed with zstd");
  if (header.contents > kMostBytes || header.file < header.bytes || header.file > image.size())
    throw damaged();
  const auto packed = image.subspan(header.bytes, header.file - header.bytes);
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != header.contents) throw damaged();
  std::vector<std::byte> contents(header.contents);
  const auto got = ZSTD_decompress(contents.data(), contents.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != contents.size()) throw damaged();
  return contents;
}

std::vector<std::byte> decompress_bundle(const std::byte* image) {
  return decompress_bundle({image, std::max(header_of(image).file, kLongestHeader)});
}

}  // namespace geak::support

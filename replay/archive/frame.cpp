#include "replay/archive/frame.h"

#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <stdexcept>

namespace geak::replay {
namespace {

constexpr std::uint32_t kFrameMark = 0x524b4147;  // "GAKR"
constexpr int kCompressionLevel = 1;              // recording stays near memory speed

template <typename T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);  // the format is little-endian, as every host of ROCm is
}

template <typename T>
T get(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint64_t largest_raw(FrameType type) {
  return type == FrameType::blob ? kChunkBytes : kMaximumRecordBytes;
}

}  // namespace

Digest digest_of(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Digest digest;
  std::memcpy(digest.data(), canonical.digest, digest.size());
  return digest;
}

std::string to_hex(const Digest& digest) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const auto byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Digest digest_from_hex(const std::string& text) {
  Digest digest{};
  if (text.size() != 2 * digest.size()) throw std::runtime_error("'" + text + "' is no digest");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    int value = 0;
    if (c >= '0' && c <= '9') {
      value = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      value = c - 'a' + 10;
    } else {
      throw std::runtime_error("'" + text + "' is no digest");
    }
    digest[i / 2] = static_cast<std::uint8_t>(digest[i / 2] << 4 | value);
  }
  return digest;
}

std::array<std::byte, kArchiveHeaderBytes> archive_header() {
  std::array<std::byte, kArchiveHeaderBytes> bytes{};
  std::memcpy(bytes.data(), kArchiveMagic.data(), kArchiveMagic.size());
  put(bytes.data() + 8, kArchiveVersion);
  return bytes;
}

std::vector<std::byte> encode_frame(FrameType type, std::span<const std::byte> raw) {
  if (raw.size() > largest_raw(type)) throw std::runtime_error("a record is too large to be kept");
  std::vector<std::byte> frame(kFrameHeaderBytes + ZSTD_compressBound(raw.size()));
  const std::size_t stored =
      ZSTD_compress(frame.data() + kFrameHeaderBytes, frame.size() - kFrameHeaderBytes, raw.data(),
                    raw.size(), kCompressionLevel);
  if (ZSTD_isError(stored)) throw std::runtime_error(ZSTD_getErrorName(stored));
  frame.resize(kFrameHeaderBytes + stored);
  const Digest digest = digest_of(raw);
  put(frame.data(), kFrameMark);
  put(frame.data() + 4, static_cast<std::uint32_t>(type));
  put(frame.data() + 8, static_cast<std::uint64_t>(stored));
  put(frame.data() + 16, static_cast<std::uint64_t>(raw.size()));
  std::memcpy(frame.data() + 24, digest.data(), digest.size());
  return frame;
}

FrameHeader decode_frame_header(std::span<const std::byte, kFrameHeaderBytes> bytes) {
  if (get<std::uint32_t>(bytes.data()) != kFrameMark) throw std::runtime_error("no frame here");
  FrameHeader header;
  const auto type = get<std::uint32_t>(bytes.data() + 4);
  if (type < 1 || type > 5) {
    throw std::runtime_error("frame of the unknown type " + std::to_string(type));
  }
  header.type = static_cast<FrameType>(type);
  header.stored_bytes = get<std::uint64_t>(bytes.data() + 8);
  header.raw_bytes = get<std::uint64_t>(bytes.data() + 16);
  std::memcpy(header.digest.data(), bytes.data() + 24, header.digest.size());
  if (header.raw_bytes > largest_raw(header.type) ||
      header.stored_bytes > ZSTD_compressBound(header.raw_bytes)) {
    throw std::runtime_error("frame of an impossible size");
  }
  return header;
}

std::vector<std::byte> decode_payload(const FrameHeader& header,
                                      std::span<const std::byte> stored) {
  std::vector<std::byte> raw(header.raw_bytes);
  const std::size_t written = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(written) || written != raw.size() || digest_of(raw) != header.digest) {
    throw std::runtime_error("a frame is damaged (its digest differs)");
  }
  return raw;
}

}  // namespace geak::replay

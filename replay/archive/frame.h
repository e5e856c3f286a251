// One frame of a .geakrec file; archive_format.md says what each byte means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace geak::replay {

inline constexpr std::array<char, 8> kArchiveMagic = {'G', 'E', 'A', 'K', 'R', 'E', 'C', '\n'};
inline constexpr std::uint32_t kArchiveVersion = 1;
inline constexpr std::size_t kArchiveHeaderBytes = 16;
inline constexpr std::size_t kFrameHeaderBytes = 40;
inline constexpr std::size_t kChunkBytes = 1u << 20;           // raw bytes of a blob frame, at most
inline constexpr std::size_t kMaximumRecordBytes = 64u << 20;  // raw bytes of a JSON frame, at most

enum class FrameType : std::uint32_t {
  blob = 1,         // a piece of memory or of a code object, named by its digest
  program = 2,      // JSON: one process that recorded
  code_object = 3,  // JSON
  launch = 4,       // JSON
  summary = 5,      // JSON: counts and what was skipped, of one process, at its end
};

// XXH3-128 of the raw bytes, big-endian as xxHash writes it.
using Digest = std::array<std::uint8_t, 16>;

Digest digest_of(std::span<const std::byte> bytes);
std::string to_hex(const Digest& digest);
// Throws std::runtime_error for anything but 32 hexadecimal digits.
Digest digest_from_hex(const std::string& text);

struct FrameHeader {
  FrameType type{};
  std::uint64_t stored_bytes = 0;  // what follows the header in the file
  std::uint64_t raw_bytes = 0;     // after decompression
  Digest digest{};                 // of the raw bytes
};

std::array<std::byte, kArchiveHeaderBytes> archive_header();
// Header and compressed payload, ready to be appended.
std::vector<std::byte> encode_frame(FrameType type, std::span<const std::byte> raw);
// Throws std::runtime_error where the bytes are no frame header or claim impossible sizes.
FrameHeader decode_frame_header(std::span<const std::byte, kFrameHeaderBytes> bytes);
// Throws std::runtime_error where the payload is damaged: size and digest are checked.
std::vector<std::byte> decode_payload(const FrameHeader& header, std::span<const std::byte> stored);

}  // namespace geak::replay

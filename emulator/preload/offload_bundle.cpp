#include "emulator/preload/offload_bundle.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "support/compressed_bundle.h"

namespace geak::emulator {
namespace {

// Layout: magic, number of entries, then for each offset, size and length of the id, and the id.
constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::uint64_t kMaxEntries = 4096, kMaxId = 4096;
constexpr std::size_t kEntryHead = 24;

std::uint64_t number_at(const std::byte* from) {
  std::uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

bool begins_with(std::span<const std::byte> image, std::string_view magic) {
  return image.size() >= magic.size() && std::memcmp(image.data(), magic.data(), magic.size()) == 0;
}

std::size_t elf_bytes(const std::byte* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
}

}  // namespace

bool is_bundle(std::span<const std::byte> image) { return begins_with(image, kMagic); }
bool is_elf(std::span<const std::byte> image) { return begins_with(image, {ELFMAG, SELFMAG}); }

bool read_bundle(std::span<const std::byte> bundle, std::vector<BundleEntry>& entries) {
  std::size_t at = kMagic.size() + sizeof(std::uint64_t);
  if (bundle.size() < at) return false;
  const std::uint64_t count = number_at(bundle.data() + kMagic.size());
  if (count > kMaxEntries) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (bundle.size() - at < kEntryHead) return false;
    const std::byte* head = bundle.data() + at;
    BundleEntry entry{number_at(head), number_at(head + 8), at + kEntryHead, {}};
    const std::uint64_t length = number_at(head + 16);
    at += kEntryHead;
    if (length > kMaxId || length > bundle.size() - at) return false;
    entry.id = {reinterpret_cast<const char*>(bundle.data() + at), length};
    at += length;
    entries.push_back(entry);
  }
  return true;
}

std::size_t image_bytes(const void* image) {
  // As the HIP runtime does, the bytes of magic and headers are trusted to be there.
  const auto* bytes = static_cast<const std::byte*>(image);
  if (is_elf({bytes, SELFMAG})) return elf_bytes(bytes);
  if (support::is_compressed_bundle({bytes, 4})) return support::compressed_bundle_bytes(bytes);
  if (!is_bundle({bytes, kMagic.size()})) return 0;
  std::vector<BundleEntry> entries;
  const std::span everything(bytes, std::numeric_limits<std::ptrdiff_t>::max());
  if (!read_bundle(everything, entries)) return 0;
  std::size_t end = 0;
  for (const auto& entry : entries) end = std::max(end, entry.offset + entry.size);
  return end;
}

}  // namespace geak::emulator

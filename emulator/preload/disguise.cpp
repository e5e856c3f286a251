#include "emulator/preload/disguise.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "emulator/hsa/gfx942_mark.h"

namespace geak::emulator {
namespace {

// Layout: magic, number of entries, then for each offset, size and length of the id, and the id.
constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::uint64_t kMaxEntries = 4096, kMaxId = 4096;
// Processor numbers in the ELF header's flags (AMDGPUUsage).
constexpr std::uint32_t kMachMask = 0xff, kMachGfx90a = 0x3f, kMachGfx942 = 0x4c;

struct Entry {
  std::uint64_t offset = 0, size = 0;
  std::size_t id_at = 0;
  std::string_view id;
};

template <typename T>
T read_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

bool is_bundle(const std::byte* image) {
  return std::memcmp(image, kBundleMagic.data(), kBundleMagic.size()) == 0;
}
bool is_elf(const std::byte* image) { return std::memcmp(image, ELFMAG, SELFMAG) == 0; }

// False when the headers make no sense. `most`: bytes that may be read.
bool read_entries(const std::byte* image, std::size_t most, std::vector<Entry>& entries) {
  std::size_t at = kBundleMagic.size();
  const auto count = read_at<std::uint64_t>(image + at);
  at += sizeof count;
  if (count > kMaxEntries) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (at > most || most - at < 24) return false;
    Entry entry;
    entry.offset = read_at<std::uint64_t>(image + at);
    entry.size = read_at<std::uint64_t>(image + at + 8);
    const auto length = read_at<std::uint64_t>(image + at + 16);
    at += 24;
    if (length > kMaxId || length > most - at) return false;
    entry.id_at = at;
    entry.id = {reinterpret_cast<const char*>(image + at), length};
    at += length;
    entries.push_back(entry);
  }
  return true;
}

struct Change {
  std::string_view from, to;  // of one length
};
// Arguments for kernels that launch kernels, which clang declares for all that it can't see through
// (-O0, printf): the runtime fills them in from a queue that it never makes, and crashes. Instead
// it fills in what is nothing, as well. MessagePack: a short text is 0xa0 + its length, or 0xd9 and
// the length; the longer form of the key makes up for a shorter value.
constexpr Change kUnusedArguments[] = {
    {"hidden_default_queue", "hidden_printf_buffer"},
    {"\xab.value_kind\xb8hidden_completion_action",
     "\xd9\x0b.value_kind\xd9\x16hidden_global_offset_x"},
};

void replace_unused_arguments(std::span<std::byte> elf) {
  const std::string_view text(reinterpret_cast<const char*>(elf.data()), elf.size());
  for (const Change& change : kUnusedArguments) {
    for (auto at = text.find(change.from); at != text.npos; at = text.find(change.from, at + 1))
      std::memcpy(elf.data() + at, change.to.data(), change.to.size());
  }
}

bool disguise_elf(std::span<std::byte> elf) {
  if (elf.size() < sizeof(Elf64_Ehdr) || !is_elf(elf.data())) return false;
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  if ((header.e_flags & kMachMask) != kMachGfx942) return false;
  header.e_flags = (header.e_flags & ~kMachMask) | kMachGfx90a;
  std::memcpy(header.e_ident + kGfx942MarkOffset, kGfx942Mark, sizeof kGfx942Mark);
  std::memcpy(elf.data(), &header, sizeof header);
  replace_unused_arguments(elf);
  return true;
}

bool rename(std::vector<std::byte>& bundle, const Entry& entry, std::string_view from,
            std::string_view to) {
  const auto place = entry.id.find(from);
  if (place == std::string_view::npos) return false;
  std::memcpy(bundle.data() + entry.id_at + place, to.data(), to.size());
  return true;
}

std::vector<std::byte> disguise_bundle(std::span<const std::byte> image) {
  std::vector<Entry> entries;
  if (!read_entries(image.data(), image.size(), entries)) return {};
  std::vector<std::byte> bundle(image.begin(), image.end());
  bool any = false;
  for (const auto& entry : entries) {
    if (entry.offset > bundle.size() || entry.size > bundle.size() - entry.offset) return {};
    if (rename(bundle, entry, "gfx90a", "gfx90x")) continue;
    if (!rename(bundle, entry, "gfx942", "gfx90a")) continue;
    if (entry.size == 0) continue;
    if (!disguise_elf(std::span(bundle).subspan(entry.offset, entry.size))) return {};
    any = true;
  }
  return any ? bundle : std::vector<std::byte>{};
}

std::size_t elf_bytes(const std::byte* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
}

}  // namespace

std::vector<std::byte> disguise_gfx942(std::span<const std::byte> image) {
  if (image.size() < sizeof(Elf64_Ehdr)) return {};
  if (is_bundle(image.data())) return disguise_bundle(image);
  std::vector<std::byte> elf(image.begin(), image.end());
  return disguise_elf(elf) ? elf : std::vector<std::byte>{};
}

std::size_t image_bytes(const void* image) {
  const auto* bytes = static_cast<const std::byte*>(image);
  if (is_elf(bytes)) return elf_bytes(bytes);
  if (!is_bundle(bytes)) return 0;
  std::vector<Entry> entries;
  if (!read_entries(bytes, SIZE_MAX, entries)) return 0;
  std::size_t end = 0;
  for (const auto& entry : entries) end = std::max(end, entry.offset + entry.size);
  return end;
}

}  // namespace geak::emulator

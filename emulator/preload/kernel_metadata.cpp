#include "emulator/preload/kernel_metadata.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/hsa/disguise_marks.h"

namespace geak::emulator {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order that the compiler wrote

constexpr std::uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA
constexpr std::array<std::string_view, 3> kMistaken = {
    "hidden_dynamic_lds_size", "hidden_default_queue", "hidden_completion_action"};

constexpr const char* kDynamicStack = ".uses_dynamic_stack";
constexpr const char* kStackBytes = ".private_segment_fixed_size";

// The header at `at`; nothing where the file ends before.
template <typename T>
std::optional<T> header_at(std::span<const std::byte> elf, std::uint64_t at) {
  T header;
  if (at > elf.size() || elf.size() - at < sizeof header) return std::nullopt;
  std::memcpy(&header, elf.data() + at, sizeof header);
  return header;
}

template <typename T>
void put(std::span<std::byte> elf, std::uint64_t at, const T& header) {
  std::memcpy(elf.data() + at, &header, sizeof header);
}

// The metadata's note, which must be the last of its segment: the compiler writes no other.
struct Note {
  std::uint64_t program_header = 0;  // where it is in the file
  std::uint64_t at = 0, contents = 0;
  Elf64_Nhdr header{};
};

std::optional<Note> find_note(std::span<const std::byte> elf) {
  const auto file = header_at<Elf64_Ehdr>(elf, 0);
  if (!file || file->e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
  for (unsigned i = 0; i < file->e_phnum; ++i) {
    const std::uint64_t at = file->e_phoff + i * sizeof(Elf64_Phdr);
    const auto segment = header_at<Elf64_Phdr>(elf, at);
    if (!segment) return std::nullopt;
    if (segment->p_type != PT_NOTE) continue;
    const auto note = header_at<Elf64_Nhdr>(elf, segment->p_offset);
    if (!note || note->n_type != kMetadataNote || note->n_namesz > 16) continue;
    const std::uint64_t contents = segment->p_offset + sizeof *note + (note->n_namesz + 3u) / 4 * 4;
    const std::uint64_t end = contents + (note->n_descsz + 3ull) / 4 * 4;
    if (end > elf.size() || end != segment->p_offset + segment->p_filesz) continue;
    return Note{at, segment->p_offset, contents, *note};
  }
  return std::nullopt;
}

// These return false when there is nothing to change.
bool adapt_arguments(Json& kernel) {
  if (!kernel.contains(".args")) return false;
  bool changed = false;
  for (Json& argument : kernel[".args"]) {
    if (!argument.is_object()) continue;
    const auto kind = argument.find(".value_kind");
    if (kind == argument.end() || !kind->is_string()) continue;
    if (std::ranges::find(kMistaken, kind->get_ref<const std::string&>()) == kMistaken.end())
      continue;
    *kind = "hidden_none";
    changed = true;
  }
  return changed;
}

bool adapt_stack(Json& kernel) {
  const auto dynamic = kernel.find(kDynamicStack);
  const auto bytes = kernel.find(kStackBytes);
  if (dynamic == kernel.end() || *dynamic != true) return false;
  if (bytes == kernel.end() || !bytes->is_number_unsigned()) return false;
  *bytes = std::max(bytes->get<std::uint32_t>(), kAssumedStackBytes);
  kernel.erase(kDynamicStack);
  return true;
}

bool adapt(Json& metadata) {
  if (!metadata.is_object() || !metadata.contains("amdhsa.kernels")) return false;
  bool changed = false;
  for (Json& kernel : metadata["amdhsa.kernels"]) {
    if (!kernel.is_object()) continue;
    changed |= adapt_arguments(kernel);
    changed |= adapt_stack(kernel);
  }
  return changed;
}

// The note became shorter: so do the segment and the section that hold it and nothing else.
void shorten(std::span<std::byte> elf, const Note& note, std::size_t bytes) {
  const std::uint64_t length = note.contents + (bytes + 3) / 4 * 4 - note.at;
  auto header = note.header;
  header.n_descsz = static_cast<Elf64_Word>(bytes);
  put(elf, note.at, header);
  auto segment = *header_at<Elf64_Phdr>(elf, note.program_header);
  segment.p_filesz = segment.p_memsz = length;
  put(elf, note.program_header, segment);
  const auto file = *header_at<Elf64_Ehdr>(elf, 0);
  for (unsigned i = 0; i < file.e_shnum; ++i) {
    const std::uint64_t at = file.e_shoff + i * sizeof(Elf64_Shdr);
    auto section = header_at<Elf64_Shdr>(elf, at);
    if (!section || section->sh_type != SHT_NOTE || section->sh_offset != note.at) continue;
    section->sh_size = length;
    put(elf, at, *section);
  }
}

}  // namespace

bool adapt_kernel_metadata(std::span<std::byte> elf) {
  const auto note = find_note(elf);
  if (!note) return false;
  const auto old = elf.subspan(note->contents, note->header.n_descsz);
  const auto* first = reinterpret_cast<const std::uint8_t*>(old.data());
  Json metadata = Json::from_msgpack(first, first + old.size(), /*strict=*/true,
                                     /*allow_exceptions=*/false);
  if (!adapt(metadata)) return false;
  const std::vector<std::uint8_t> bytes = Json::to_msgpack(metadata);
  // The new names are shorter, a larger stack costs less than the entry that went, and both sides
  // write numbers and lengths as short as they go.
  if (bytes.size() > old.size()) return false;
  std::memset(old.data(), 0, old.size());
  std::memcpy(old.data(), bytes.data(), bytes.size());
  shorten(elf, *note, bytes.size());
  return true;
}

}  // namespace geak::emulator

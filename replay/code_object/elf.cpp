#include "replay/code_object/elf.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace geak::replay {
namespace {

constexpr std::uint16_t kMachineAmdgpu = 224;  // EM_AMDGPU
constexpr std::uint16_t kMachineCuda = 190;    // EM_CUDA
constexpr unsigned kFirstAbiOfVersion = 2;     // EI_ABIVERSION 1 is code object v3, 2 is v4, ...
constexpr std::uint32_t kNoteMetadata = 32;    // NT_AMDGPU_METADATA

template <typename T>
std::vector<T> table_at(std::span<const std::byte> file, std::uint64_t offset,
                        std::uint64_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) {
    throw std::runtime_error("a table of the code object lies outside of it");
  }
  std::vector<T> table(count);
  if (count) std::memcpy(table.data(), file.data() + offset, count * sizeof(T));
  return table;
}

std::span<const std::byte> part_of(std::span<const std::byte> file, std::uint64_t offset,
                                   std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) {
    throw std::runtime_error("a section of the code object lies outside of it");
  }
  return file.subspan(offset, bytes);
}

std::string string_at(std::span<const std::byte> strings, std::uint64_t offset) {
  if (offset >= strings.size())
    throw std::runtime_error("a symbol's name lies outside of its table");
  const auto* begin = reinterpret_cast<const char*>(strings.data() + offset);
  const auto* end = std::find(begin, begin + (strings.size() - offset), '\0');
  return {begin, end};
}

std::string machine_of(std::uint32_t flags) {
  switch (flags & 0xff) {  // EF_AMDGPU_MACH
    case 0x2f:
      return "gfx906";
    case 0x30:
      return "gfx908";
    case 0x3f:
      return "gfx90a";
    case 0x40:
      return "gfx940";
    case 0x4b:
      return "gfx941";
    case 0x4c:
      return "gfx942";
    default:
      return "";
  }
}

void add_symbols(Elf& elf, std::span<const std::byte> file, const std::vector<Elf64_Shdr>& sections,
                 std::span<const std::byte> section_names, const Elf64_Shdr& table) {
  if (table.sh_link >= sections.size()) throw std::runtime_error("a symbol table without strings");
  const auto& names = sections[table.sh_link];
  const auto strings = part_of(file, names.sh_offset, names.sh_size);
  for (const auto& entry :
       table_at<Elf64_Sym>(file, table.sh_offset, table.sh_size / sizeof(Elf64_Sym))) {
    const auto type = ELF64_ST_TYPE(entry.st_info);
    if (entry.st_shndx == SHN_UNDEF || entry.st_shndx >= sections.size() ||
        (type != STT_OBJECT && type != STT_FUNC)) {
      continue;
    }
    const auto& section = sections[entry.st_shndx];
    ElfSymbol symbol;
    symbol.name = string_at(strings, entry.st_name);
    if (section.sh_name < section_names.size())
      symbol.section = string_at(section_names, section.sh_name);
    symbol.is_object = type == STT_OBJECT;
    symbol.is_function = type == STT_FUNC;
    symbol.global = ELF64_ST_BIND(entry.st_info) != STB_LOCAL;
    symbol.writable = (section.sh_flags & SHF_WRITE) != 0;
    symbol.address = entry.st_value;
    symbol.bytes = entry.st_size;
    if (section.sh_type != SHT_NOBITS && entry.st_value >= section.sh_addr) {
      const auto contents = part_of(file, section.sh_offset, section.sh_size);
      const std::uint64_t at = entry.st_value - section.sh_addr;
      if (at <= contents.size() && entry.st_size <= contents.size() - at) {
        symbol.contents = contents.subspan(at, entry.st_size);
      }
    }
    elf.symbols.push_back(std::move(symbol));
  }
}

void add_section(Elf& elf, std::span<const std::byte> file, const Elf64_Shdr& section) {
  if (!(section.sh_flags & SHF_ALLOC)) return;
  ElfSection loaded{section.sh_addr, section.sh_size, (section.sh_flags & SHF_WRITE) != 0, {}};
  if (section.sh_type != SHT_NOBITS) {
    loaded.contents = part_of(file, section.sh_offset, section.sh_size);
  }
  elf.sections.push_back(loaded);
}

void add_relocations(Elf& elf, std::span<const std::byte> file,
                     const std::vector<Elf64_Shdr>& sections, const Elf64_Shdr& table) {
  if (table.sh_link >= sections.size()) return;
  const auto& symbols = sections[table.sh_link];
  if (symbols.sh_link >= sections.size()) return;
  const auto& names = sections[symbols.sh_link];
  const auto strings = part_of(file, names.sh_offset, names.sh_size);
  const auto known =
      table_at<Elf64_Sym>(file, symbols.sh_offset, symbols.sh_size / sizeof(Elf64_Sym));
  for (const auto& entry :
       table_at<Elf64_Rela>(file, table.sh_offset, table.sh_size / sizeof(Elf64_Rela))) {
    ElfRelocation relocation{entry.r_offset, "", static_cast<std::uint64_t>(entry.r_addend)};
    const auto index = ELF64_R_SYM(entry.r_info);
    if (index && index < known.size()) relocation.symbol = string_at(strings, known[index].st_name);
    elf.relocations.push_back(std::move(relocation));
  }
}

// Notes are padded to four bytes whatever the segment's alignment says.
std::span<const std::byte> metadata_in(std::span<const std::byte> notes) {
  const auto padded = [](std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::uint64_t description = sizeof note + padded(note.n_namesz);
    if (description + note.n_descsz > notes.size()) break;
    if (note.n_type == kNoteMetadata && note.n_namesz == 7 &&
        std::memcmp(notes.data() + sizeof note, "AMDGPU", 7) == 0) {
      return notes.subspan(description, note.n_descsz);
    }
    const std::uint64_t next = description + padded(note.n_descsz);
    if (next > notes.size()) break;
    notes = notes.subspan(next);
  }
  return {};
}

Elf64_Ehdr header_of(std::span<const std::byte> file) {
  Elf64_Ehdr header;
  if (file.size() < sizeof header) throw std::runtime_error("the code object is no ELF file");
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB) {
    throw std::runtime_error("the code object is no 64-bit little-endian ELF file");
  }
  if (header.e_machine != kMachineAmdgpu && header.e_machine != kMachineCuda) {
    throw std::runtime_error(
        "the code object is an ELF file of another machine than AMDGPU or CUDA");
  }
  return header;
}

}  // namespace

Elf read_elf(std::span<const std::byte> file) {
  const auto header = header_of(file);
  Elf elf;
  elf.flags = header.e_flags;
  elf.machine = header.e_machine == kMachineCuda ? "cuda" : machine_of(header.e_flags);
  elf.code_object_version = header.e_ident[EI_ABIVERSION] + kFirstAbiOfVersion;
  const auto sections =
      table_at<Elf64_Shdr>(file, header.e_shoff, header.e_shoff ? header.e_shnum : 0);
  std::span<const std::byte> section_names;
  if (header.e_shstrndx < sections.size()) {
    const auto& names = sections[header.e_shstrndx];
    section_names = part_of(file, names.sh_offset, names.sh_size);
  }
  // .symtab has all; a stripped file has the visible ones in .dynsym alone.
  const auto has_all = std::ranges::any_of(
      sections, [](const auto& section) { return section.sh_type == SHT_SYMTAB; });
  for (const auto& section : sections) {
    add_section(elf, file, section);
    if (section.sh_type == SHT_RELA) add_relocations(elf, file, sections, section);
    if (section.sh_type == (has_all ? SHT_SYMTAB : SHT_DYNSYM)) {
      add_symbols(elf, file, sections, section_names, section);
    }
  }
  for (const auto& segment : table_at<Elf64_Phdr>(file, header.e_phoff, header.e_phnum)) {
    if (segment.p_type != PT_NOTE || !elf.metadata.empty()) continue;
    elf.metadata = metadata_in(part_of(file, segment.p_offset, segment.p_filesz));
  }
  return elf;
}

std::size_t elf_bytes(const std::byte* memory) {
  const auto header = header_of({memory, sizeof(Elf64_Ehdr)});
  std::uint64_t end = header.e_shoff + std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, memory + header.e_phoff + i * sizeof segment, sizeof segment);
    end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, memory + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

}  // namespace geak::replay

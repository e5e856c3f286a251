#include "emulator/preload/code_check.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "emulator/preload/offload_bundle.h"

namespace geak::emulator {
namespace {

using Bytes = std::span<const std::byte>;
using Json = nlohmann::json;

constexpr Elf64_Half kAmdGpu = 224;          // EM_AMDGPU
constexpr std::uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA

void require(bool condition, const char* problem) {
  if (!condition) throw std::runtime_error(problem);
}

Bytes part(Bytes file, std::uint64_t offset, std::uint64_t size, const char* problem) {
  require(offset <= file.size() && size <= file.size() - offset, problem);
  return file.subspan(offset, size);
}

template <typename T>
std::vector<T> table(Bytes bytes) {
  std::vector<T> entries(bytes.size() / sizeof(T));
  std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(T));
  return entries;
}

// A code object with its tables, each within the file.
class CodeObject {
 public:
  explicit CodeObject(Bytes file) : file_(file) {
    require(file.size() >= sizeof header_ && is_elf(file), "it is no ELF file, or cut short");
    std::memcpy(&header_, file.data(), sizeof header_);
    require(header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB &&
                header_.e_machine == kAmdGpu && header_.e_type == ET_DYN,
            "it is no 64-bit shared object for an AMD GPU");
    require(header_.e_phentsize == sizeof(Elf64_Phdr) && header_.e_shentsize == sizeof(Elf64_Shdr),
            "entries of its tables have another size");
    constexpr const char* kCut = "a table lies beyond its end";
    segments_ =
        table<Elf64_Phdr>(part(file, header_.e_phoff, header_.e_phnum * sizeof(Elf64_Phdr), kCut));
    const std::uint64_t bytes = header_.e_shnum * sizeof(Elf64_Shdr);
    sections_ = table<Elf64_Shdr>(part(file, header_.e_shoff, bytes, kCut));
    // Where a module comes without a size, the runtime takes this table for its end.
    file_ = file.first(header_.e_shoff + bytes);
  }

  void check_segments() const {
    for (const auto& segment : segments_) {
      contents(segment);
      require(segment.p_memsz >= segment.p_filesz, "a segment is larger in the file than loaded");
    }
  }

  // The MessagePack of the metadata.
  Bytes metadata() const {
    for (const auto& segment : segments_) {
      if (segment.p_type != PT_NOTE) continue;
      if (const Bytes found = metadata_in(contents(segment)); !found.empty()) return found;
    }
    throw std::runtime_error("it has no metadata");
  }

  // After check_sections().
  bool has_symbol(const std::string& name) const { return symbols_.contains(name); }

  void check_sections() {
    const Bytes names = strings(header_.e_shstrndx);
    for (const auto& section : sections_) {
      contents(section);
      require((section.sh_flags & SHF_ALLOC) == 0 || is_loaded(section),
              "a section that is to be loaded is in no segment");
      require(section.sh_name < names.size(), "the name of a section lies outside of its names");
    }
    require(std::ranges::count(sections_, Elf64_Word{SHT_SYMTAB}, &Elf64_Shdr::sh_type) == 1,
            "it has no table of symbols (.symtab), in which the runtime looks: was it stripped?");
    for (const auto& section : sections_) {
      if (section.sh_type == SHT_SYMTAB) check_symbols(section, ".symtab", ".strtab");
      if (section.sh_type == SHT_DYNSYM) check_symbols(section, ".dynsym", ".dynstr");
    }
  }

 private:
  static Bytes metadata_in(Bytes notes) {
    constexpr const char* kCut = "a note lies beyond its segment";
    constexpr std::string_view kOwner{"AMDGPU", 7};  // with its NUL
    while (!notes.empty()) {
      const auto header = table<Elf64_Nhdr>(part(notes, 0, sizeof(Elf64_Nhdr), kCut)).front();
      notes = notes.subspan(sizeof header);
      const Bytes owner = part(notes, 0, header.n_namesz, kCut);
      notes = notes.subspan(std::min(aligned(owner), notes.size()));
      const Bytes contents = part(notes, 0, header.n_descsz, kCut);
      if (header.n_type == kMetadataNote && owner.size() == kOwner.size() &&
          std::memcmp(owner.data(), kOwner.data(), kOwner.size()) == 0)
        return contents;
      notes = notes.subspan(std::min(aligned(contents), notes.size()));
    }
    return {};
  }
  static std::size_t aligned(Bytes bytes) { return (bytes.size() + 3) / 4 * 4; }

  Bytes contents(const Elf64_Phdr& segment) const {
    return part(file_, segment.p_offset, segment.p_filesz, "a segment lies beyond its end");
  }

  Bytes contents(const Elf64_Shdr& section) const {
    const bool none = section.sh_type == SHT_NOBITS;
    return part(file_, section.sh_offset, none ? 0 : section.sh_size,
                "a section lies beyond its end");
  }

  Bytes strings(std::size_t section) const {
    require(section < sections_.size() && sections_[section].sh_type == SHT_STRTAB,
            "a table of names is missing");
    const Bytes names = contents(sections_[section]);
    require(!names.empty() && names.back() == std::byte{}, "a table of names does not end");
    return names;
  }

  bool is_loaded(const Elf64_Shdr& section) const {
    return std::ranges::any_of(segments_, [&](const Elf64_Phdr& segment) {
      const std::uint64_t at = section.sh_addr - segment.p_vaddr;
      const std::uint64_t inside = section.sh_offset - segment.p_offset;  // of the file's part
      return segment.p_type == PT_LOAD && section.sh_addr >= segment.p_vaddr &&
             at <= segment.p_memsz && section.sh_size <= segment.p_memsz - at &&
             (section.sh_type == SHT_NOBITS ? inside <= segment.p_filesz : inside == at);
    });
  }

  void check_place(const Elf64_Sym& symbol) const {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE) return;
    require(symbol.st_shndx < sections_.size(), "a symbol is in no section");
    const auto& section = sections_[symbol.st_shndx];
    const std::uint64_t at = symbol.st_value - section.sh_addr;
    require(symbol.st_value >= section.sh_addr && at <= section.sh_size &&
                symbol.st_size <= section.sh_size - at,
            "a symbol lies outside of its section");
  }

  std::string_view name(const Elf64_Shdr& section) const {
    return reinterpret_cast<const char*>(strings(header_.e_shstrndx).data()) + section.sh_name;
  }

  // The runtime finds these tables by their names.
  void check_symbols(const Elf64_Shdr& section, std::string_view own, std::string_view of_names) {
    require(section.sh_entsize == sizeof(Elf64_Sym), "symbols have another size");
    const Bytes names = strings(section.sh_link);
    require(name(section) == own && name(sections_[section.sh_link]) == of_names,
            "a table of symbols has another name");
    for (const auto& symbol : table<Elf64_Sym>(contents(section))) {
      require(symbol.st_name < names.size(), "the name of a symbol lies outside of the names");
      check_place(symbol);
      symbols_.emplace(reinterpret_cast<const char*>(names.data()) + symbol.st_name);
    }
  }

  Bytes file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::set<std::string_view> symbols_;  // names in any table of them
};

bool has_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string();
}

bool has_number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned();
}

// What the runtime reads without asking (AMDGPUUsage, "Code Object V3 Metadata" and later).
void check_metadata(const Json& metadata, const CodeObject& object) {
  require(metadata.is_object() && metadata.contains("amdhsa.version"), "it has no metadata");
  const auto kernels = metadata.find("amdhsa.kernels");
  require(kernels != metadata.end() && kernels->is_array(), "its metadata lists no kernels");
  for (const auto& kernel : *kernels) {
    require(kernel.is_object() && has_text(kernel, ".name") && has_text(kernel, ".symbol") &&
                has_number(kernel, ".kernarg_segment_size") &&
                has_number(kernel, ".kernarg_segment_align") &&
                has_number(kernel, ".group_segment_fixed_size") &&
                has_number(kernel, ".private_segment_fixed_size") &&
                has_number(kernel, ".wavefront_size") && has_number(kernel, ".sgpr_count") &&
                has_number(kernel, ".vgpr_count") && has_number(kernel, ".max_flat_workgroup_size"),
            "the metadata of a kernel is not complete");
    require(object.has_symbol(kernel[".symbol"]) && object.has_symbol(kernel[".name"]),
            "a kernel of its metadata is not among its symbols");
    for (const auto& argument : kernel.value(".args", Json::array())) {
      require(argument.is_object() && has_number(argument, ".size") &&
                  has_number(argument, ".offset") && has_text(argument, ".value_kind"),
              "the metadata of a kernel's argument is not complete");
    }
  }
}

void check_code_object(Bytes file) {
  CodeObject object(file);
  object.check_segments();
  object.check_sections();
  const Bytes packed = object.metadata();
  const auto* first = reinterpret_cast<const std::uint8_t*>(packed.data());
  check_metadata(Json::from_msgpack(first, first + packed.size(), /*strict=*/true,
                                    /*allow_exceptions=*/false),
                 object);
}

// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-": with features that the device has, or without any.
bool is_for(std::string_view id, std::string_view processor) {
  for (const std::string_view kind : {"hipv4-", "hip-"})
    if (id.starts_with(kind)) id.remove_prefix(kind.size());
  constexpr std::string_view kTriple = "amdgcn-amd-amdhsa-";
  if (!id.starts_with(kTriple)) return false;
  id.remove_prefix(kTriple.size());
  if (id.starts_with('-')) id.remove_prefix(1);
  if (!id.starts_with(processor)) return false;
  id.remove_prefix(processor.size());
  for (const std::string_view feature : {":sramecc+", ":xnack-"})
    if (id.starts_with(feature)) id.remove_prefix(feature.size());
  return id.empty();
}

}  // namespace

void check_code(Bytes image, std::string_view processor) {
  if (!is_bundle(image)) return check_code_object(image);
  std::vector<BundleEntry> entries;
  require(read_bundle(image, entries), "the bundle's table is cut short or damaged");
  bool found = false;
  for (const auto& entry : entries) {
    const Bytes code = part(image, entry.offset, entry.size, "an entry lies beyond its end");
    if (code.empty() || !is_for(entry.id, processor)) continue;
    check_code_object(code);
    found = true;
  }
  if (!found) throw NoCodeForDevice("nothing in the bundle is for " + std::string(processor));
}

}  // namespace geak::emulator

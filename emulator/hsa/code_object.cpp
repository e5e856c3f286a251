#include "emulator/hsa/code_object.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>

#include <algorithm>
#include <map>

#include "emulator/hsa/disguise_marks.h"

namespace geak::emulator {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Section = Elf::Elf_Shdr;

constexpr std::uint64_t kPage = 4096;
// More than any real code object; below what could overflow sums.
constexpr std::uint64_t kMaxImage = 4ull << 30;

template <typename T>
T take(llvm::Expected<T> value, const char* what) {
  if (!value) {
    throw CodeObjectError(std::string("malformed code object: ") + what + ": " +
                          llvm::toString(value.takeError()));
  }
  return std::move(*value);
}

void check(bool condition, const std::string& problem) {
  if (!condition) throw CodeObjectError("malformed code object: " + problem);
}

Feature feature(std::uint32_t flags, std::uint32_t any, std::uint32_t off, std::uint32_t on) {
  const std::uint32_t bits = flags & (any | off | on);
  if (bits == on) return Feature::on;
  if (bits == off) return Feature::off;
  return bits == any ? Feature::any : Feature::unsupported;
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes)
      : bytes_(bytes),
        elf_(take(Elf::create({reinterpret_cast<const char*>(bytes.data()), bytes.size()}),
                  "ELF header")) {}

  CodeObject read() {
    read_header();
    read_segments();
    for (const auto& section : take(elf_.sections(), "section headers")) {
      if (section.sh_type == llvm::ELF::SHT_SYMTAB || section.sh_type == llvm::ELF::SHT_DYNSYM) {
        read_symbols(section);
      }
      if (section.sh_type == llvm::ELF::SHT_RELA) read_relocations(section);
      check(section.sh_type != llvm::ELF::SHT_REL, "relocations without addends");
    }
    for (auto& [name, symbol] : symbols_) result_.symbols.push_back(std::move(symbol));
    return std::move(result_);
  }

 private:
  void read_header() {
    namespace elf = llvm::ELF;
    const auto& header = elf_.getHeader();
    check(header.e_ident[elf::EI_CLASS] == elf::ELFCLASS64 &&
              header.e_ident[elf::EI_DATA] == elf::ELFDATA2LSB,
          "not a 64-bit little-endian ELF file");
    check(header.e_machine == elf::EM_AMDGPU, "not for AMD GPUs");
    check(header.e_ident[elf::EI_OSABI] == elf::ELFOSABI_AMDGPU_HSA, "not for the HSA ABI");
    check(header.e_type == elf::ET_DYN, "not linked (relocatable objects can't be loaded)");
    const unsigned marked = marked_abi_version(bytes_);
    const unsigned abi = marked ? marked : header.e_ident[elf::EI_ABIVERSION];
    check(abi >= elf::ELFABIVERSION_AMDGPU_HSA_V3 && abi <= elf::ELFABIVERSION_AMDGPU_HSA_V6,
          "code object version " + std::to_string(abi + 2) + " (known: 3 to 6)");
    result_.version = abi + 2;
    read_target(header.e_flags);
  }

  void read_target(std::uint32_t flags) {
    namespace elf = llvm::ELF;
    switch (flags & elf::EF_AMDGPU_MACH) {
      case elf::EF_AMDGPU_MACH_AMDGCN_GFX90A:
        result_.arch = Arch::gfx90a;
        break;
      case elf::EF_AMDGPU_MACH_AMDGCN_GFX942:
        result_.arch = Arch::gfx942;
        break;
      default:
        throw CodeObjectError("code object for another GPU (ELF machine number " +
                              std::to_string(flags & elf::EF_AMDGPU_MACH) +
                              "); emulated: gfx90a, gfx942");
    }
    if (has_gfx942_mark(bytes_)) result_.arch = Arch::gfx942;
    if (result_.version == 3) {
      result_.xnack = flags & elf::EF_AMDGPU_FEATURE_XNACK_V3 ? Feature::on : Feature::off;
      result_.sram_ecc = flags & elf::EF_AMDGPU_FEATURE_SRAMECC_V3 ? Feature::on : Feature::off;
      return;
    }
    result_.xnack =
        feature(flags, elf::EF_AMDGPU_FEATURE_XNACK_ANY_V4, elf::EF_AMDGPU_FEATURE_XNACK_OFF_V4,
                elf::EF_AMDGPU_FEATURE_XNACK_ON_V4);
    result_.sram_ecc =
        feature(flags, elf::EF_AMDGPU_FEATURE_SRAMECC_ANY_V4, elf::EF_AMDGPU_FEATURE_SRAMECC_OFF_V4,
                elf::EF_AMDGPU_FEATURE_SRAMECC_ON_V4);
  }

  void read_segments() {
    for (const auto& header : take(elf_.program_headers(), "program headers")) {
      if (header.p_type != llvm::ELF::PT_LOAD) continue;
      check(header.p_offset <= bytes_.size() && header.p_filesz <= bytes_.size() - header.p_offset,
            "a segment lies beyond the end of the file");
      check(header.p_filesz <= header.p_memsz, "a segment's file part exceeds its memory");
      check(header.p_vaddr <= kMaxImage && header.p_memsz <= kMaxImage, "a segment is too large");
      CodeObject::Segment segment;
      segment.address = header.p_vaddr;
      segment.memory_bytes = header.p_memsz;
      segment.contents = bytes_.subspan(header.p_offset, header.p_filesz);
      segment.executable = header.p_flags & llvm::ELF::PF_X;
      result_.memory_bytes = std::max<std::uint64_t>(
          result_.memory_bytes, (header.p_vaddr + header.p_memsz + kPage - 1) / kPage * kPage);
      result_.segments.push_back(segment);
    }
    check(!result_.segments.empty(), "no loadable segment");
  }

  bool loaded(std::uint64_t address, std::uint64_t bytes) const {
    return std::any_of(result_.segments.begin(), result_.segments.end(), [&](const auto& segment) {
      return address >= segment.address && bytes <= segment.memory_bytes &&
             address - segment.address <= segment.memory_bytes - bytes;
    });
  }

  void read_symbols(const Section& table) {
    const auto names = take(elf_.getStringTableForSymtab(table), "string table of symbols");
    for (const auto& symbol : take(elf_.symbols(&table), "symbol table")) {
      const unsigned type = symbol.getType();
      const bool function = type == llvm::ELF::STT_FUNC;
      if (!function && type != llvm::ELF::STT_OBJECT && type != llvm::ELF::STT_AMDGPU_HSA_KERNEL) {
        continue;
      }
      if (symbol.st_shndx == llvm::ELF::SHN_UNDEF || symbol.st_shndx == llvm::ELF::SHN_COMMON) {
        continue;
      }
      CodeObject::Symbol out;
      out.name = take(symbol.getName(names), "symbol name").str();
      out.address = symbol.st_value;
      out.bytes = symbol.st_size;
      out.local = symbol.getBinding() == llvm::ELF::STB_LOCAL;
      check(loaded(out.address, out.bytes),
            "symbol '" + out.name + "' lies outside of the segments");
      const std::string_view name = out.name;
      if (function) {
        out.kind = CodeObject::Symbol::Kind::function;
      } else if (name.size() > 3 && name.substr(name.size() - 3) == ".kd") {
        check(out.bytes == 64, "kernel descriptor '" + out.name + "' is not 64 bytes long");
        out.kind = CodeObject::Symbol::Kind::kernel_descriptor;
      } else {
        out.constant = in_read_only_section(symbol.st_shndx);
      }
      // Local symbols of two files may share a name: the first is as good as any for messages.
      auto& place = symbols_[out.name];
      if (place.name.empty() || place.local) place = std::move(out);
    }
  }

  bool in_read_only_section(unsigned index) const {
    auto section = elf_.getSection(index);
    if (!section) {
      llvm::consumeError(section.takeError());
      return false;
    }
    return !((*section)->sh_flags & llvm::ELF::SHF_WRITE);
  }

  void read_relocations(const Section& section) {
    const auto relocations = take(elf_.relas(section), "relocations");
    if (relocations.empty()) return;
    const auto* table = take(elf_.getSection(section.sh_link), "symbols of relocations");
    for (const auto& relocation : relocations) {
      CodeObject::Relocation out;
      out.type = relocation.getType(false);
      if (out.type == llvm::ELF::R_AMDGPU_NONE) continue;
      out.address = relocation.r_offset;
      out.addend = relocation.r_addend;
      check(loaded(out.address, relocated_bytes(out.type)),
            "a relocation changes what isn't loaded");
      if (const auto* symbol = take(elf_.getRelocationSymbol(relocation, table), "symbol")) {
        out.defined = symbol->st_shndx != llvm::ELF::SHN_UNDEF;
        out.weak = symbol->getBinding() == llvm::ELF::STB_WEAK;
        out.symbol_address = symbol->st_value;
        if (!out.defined) {
          const auto names = take(elf_.getStringTableForSymtab(*table), "string table");
          out.symbol_name = take(symbol->getName(names), "symbol name").str();
        }
      }
      result_.relocations.push_back(std::move(out));
    }
  }

  static std::uint64_t relocated_bytes(std::uint32_t type) {
    switch (type) {
      case llvm::ELF::R_AMDGPU_ABS64:
      case llvm::ELF::R_AMDGPU_REL64:
      case llvm::ELF::R_AMDGPU_RELATIVE64:
        return 8;
      case llvm::ELF::R_AMDGPU_ABS32:
      case llvm::ELF::R_AMDGPU_ABS32_LO:
      case llvm::ELF::R_AMDGPU_ABS32_HI:
      case llvm::ELF::R_AMDGPU_REL32:
      case llvm::ELF::R_AMDGPU_REL32_LO:
      case llvm::ELF::R_AMDGPU_REL32_HI:
        return 4;
    }
    throw CodeObjectError("malformed code object: relocation of type " + std::to_string(type));
  }

  std::span<const std::byte> bytes_;
  Elf elf_;
  CodeObject result_;
  std::map<std::string, CodeObject::Symbol> symbols_;
};

}  // namespace

CodeObject parse_code_object(std::span<const std::byte> bytes) { return Reader(bytes).read(); }

std::optional<std::size_t> elf_file_bytes(const std::byte* begin, std::size_t most) {
  auto elf = Elf::create({reinterpret_cast<const char*>(begin), most});
  if (!elf) {
    llvm::consumeError(elf.takeError());
    return std::nullopt;
  }
  const auto& header = elf->getHeader();
  const std::uint64_t end = header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (end < header.e_shoff || end > most) return std::nullopt;
  return end;
}

}  // namespace geak::emulator

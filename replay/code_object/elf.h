// The few facts of an AMDGPU ELF file, or of a cubin, that recording and judging need, read without
// LLVM: the recorder is preloaded into programs whose HIP runtime brings an LLVM of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace geak::replay {

struct ElfSymbol {
  std::string name;
  bool is_object = false;  // a variable
  bool is_function = false;
  bool global = false;    // visible outside of the code object
  bool writable = false;  // its section is
  std::string section;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::span<const std::byte> contents;  // empty for .bss
};

// What the loader puts at an address: that of a symbol, or of a place in the code object.
struct ElfRelocation {
  std::uint64_t address = 0;
  std::string symbol;        // empty: `target` is a place
  std::uint64_t target = 0;  // added to the symbol's address where there is one
};

struct ElfSection {
  std::uint64_t address = 0, bytes = 0;
  bool writable = false;
  std::span<const std::byte> contents;  // empty for .bss
};

struct Elf {
  std::uint32_t flags = 0;           // e_flags: machine and features
  unsigned code_object_version = 0;  // 3 to 6
  std::string machine;               // "gfx90a", "gfx942", "cuda"; empty: another
  std::vector<ElfSymbol> symbols;    // defined ones
  std::vector<ElfSection> sections;  // that are loaded
  std::vector<ElfRelocation> relocations;
  std::span<const std::byte> metadata;  // the MessagePack of note NT_AMDGPU_METADATA
};

// Throws std::runtime_error for anything that is no 64-bit little-endian AMDGPU or CUDA ELF, and
// for tables that lie outside of the file. The result points into `file`.
Elf read_elf(std::span<const std::byte> file);

// Bytes from the start of `memory` to the end of the ELF file there, from its own headers; for
// images that come without a size. `memory` must hold at least the headers.
std::size_t elf_bytes(const std::byte* memory);

}  // namespace geak::replay

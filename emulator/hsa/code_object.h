// Reading AMD GPU code objects (ELF), hostile ones included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/model/device.h"

namespace geak::emulator {

struct CodeObjectError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a code object says of a feature of the target ID.
enum class Feature { unsupported, any, off, on };

struct CodeObject {
  struct Segment {
    std::uint64_t address = 0;  // relative to the load base
    std::uint64_t memory_bytes = 0;
    std::span<const std::byte> contents;  // of the file; the rest of the segment is zero
    bool executable = false;
  };
  struct Symbol {
    enum class Kind { kernel_descriptor, variable, function };
    Kind kind = Kind::variable;
    std::string name;  // kernels: with ".kd"
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool constant = false;  // a variable in a read-only section
    bool local = false;
  };
  struct Relocation {
    std::uint32_t type = 0;  // R_AMDGPU_*
    std::uint64_t address = 0;
    std::int64_t addend = 0;
    bool defined = false;  // the symbol has an address here
    bool weak = false;
    std::uint64_t symbol_address = 0;
    std::string symbol_name;  // of an undefined symbol
  };

  Arch arch = Arch::gfx90a;
  Feature xnack = Feature::any;
  Feature sram_ecc = Feature::any;
  unsigned version = 4;
  std::uint64_t memory_bytes = 0;  // end of the last segment, whole pages
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;
  std::vector<Relocation> relocations;
};

// The spans point into `bytes`. Throws CodeObjectError, which says what is wrong with it.
CodeObject parse_code_object(std::span<const std::byte> bytes);

// The size of the ELF file that begins there, from its headers; nothing when they are no ELF
// headers or say more than `most`.
std::optional<std::size_t> elf_file_bytes(const std::byte* begin, std::size_t most);

}  // namespace geak::emulator

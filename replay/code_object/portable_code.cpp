#include "replay/code_object/portable_code.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

#include "replay/code_object/elf.h"

namespace geak::replay {
namespace {

// Offset and size of kernel_code_entry_byte_offset in the descriptor (AMDGPUUsage, "Kernel
// Descriptor"): the distance to the code, which is the linker's.
constexpr std::size_t kEntryOffset = 16, kEntryBytes = 8;
// SOP1 and SOP2 encodings of gfx9 ("CDNA2 ISA", 12.1 and 12.3), with the operands masked out.
constexpr std::uint32_t kGetPc = 0xbe801c00, kGetPcMask = 0xff80ffff;
constexpr std::uint32_t kAdd = 0x80000000, kAddCarry = 0x82000000, kSop2Mask = 0xff800000;
constexpr std::uint32_t kLiteral = 0xff;
constexpr std::size_t kUnnamedBytes = 16;  // looked at of data without a symbol

std::uint32_t word_at(std::span<const std::byte> code, std::size_t at) {
  std::uint32_t word = 0;
  if (at + 4 <= code.size()) std::memcpy(&word, code.data() + at, 4);
  return word;
}

// An addition of a literal to a scalar register that it also writes.
bool adds_literal(std::uint32_t word, std::uint32_t operation, std::uint32_t scalar) {
  if ((word & kSop2Mask) != operation || (word >> 16 & 0x7f) != scalar) return false;
  const auto first = word & 0xff, second = word >> 8 & 0xff;
  return (first == scalar && second == kLiteral) || (first == kLiteral && second == scalar);
}

// The compiler tells variables and functions of internal linkage apart by a digest of the unit.
std::string plain_name(const std::string& name) {
  for (const char* mark : {".static.", "__static__", ".intern.", "__intern__"}) {
    const auto at = name.find(mark);
    if (at != std::string::npos) return name.substr(0, at);
  }
  return name;
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : elf_(read_elf(file)) {}

  PortableCode read(const std::string& kernel) {
    add_descriptor(kernel);
    function_number(find(kernel));
    check_entry(kernel);
    // More functions are found on the way.
    for (std::size_t i = 0; i < functions_.size(); ++i) add_function(*functions_[i]);
    for (const auto* function : functions_) code_.functions.push_back(function->contents);
    code_.variables.assign(variables_.begin(), variables_.end());
    return std::move(code_);
  }

 private:
  const ElfSymbol& find(const std::string& name) const {
    for (const auto& symbol : elf_.symbols) {
      if (symbol.name == name && symbol.is_function) return symbol;
    }
    throw std::runtime_error("the code object has no kernel " + name);
  }

  void add_descriptor(const std::string& kernel) {
    for (const auto& symbol : elf_.symbols) {
      if (symbol.name != kernel + ".kd") continue;
      std::string bytes(reinterpret_cast<const char*>(symbol.contents.data()),
                        symbol.contents.size());
      if (bytes.size() >= kEntryOffset + kEntryBytes) {
        bytes.replace(kEntryOffset, kEntryBytes, kEntryBytes, '\0');
      }
      code_.bytes += elf_.machine + ";" + bytes;
      code_.descriptor = symbol.contents;
      return;
    }
    throw std::runtime_error("the code object has no descriptor of " + kernel);
  }

  // What a launch runs is where the descriptor says, whatever symbol has the kernel's name.
  void check_entry(const std::string& kernel) const {
    for (const auto& symbol : elf_.symbols) {
      if (symbol.name != kernel + ".kd" || symbol.contents.size() < kEntryOffset + kEntryBytes)
        continue;
      std::uint64_t offset = 0;
      std::memcpy(&offset, symbol.contents.data() + kEntryOffset, kEntryBytes);
      if (symbol.address + offset == functions_.front()->address) return;
      throw std::runtime_error("the descriptor of " + kernel +
                               " starts other code than its symbol");
    }
  }

  std::size_t function_number(const ElfSymbol& function) {
    const auto [entry, added] = numbers_.try_emplace(function.address, functions_.size());
    if (added) functions_.push_back(&function);
    return entry->second;
  }

  void add_function(const ElfSymbol& function) {
    const auto code = function.contents;
    code_.bytes += ";function " + std::to_string(code.size()) + ":";
    for (std::size_t at = 0; at < code.size(); at += 4) {
      const auto word = word_at(code, at);
      const auto scalar = word >> 16 & 0x7f;
      const bool address = (word & kGetPcMask) == kGetPc &&
                           adds_literal(word_at(code, at + 4), kAdd, scalar) &&
                           adds_literal(word_at(code, at + 12), kAddCarry, scalar + 1);
      append(code, at, std::min<std::size_t>(4, code.size() - at));
      if ((word & kGetPcMask) == kGetPc && !address) call_all();
      if (!address) continue;
      const std::uint64_t displacement =
          word_at(code, at + 8) | std::uint64_t{word_at(code, at + 16)} << 32;
      append(code, at + 4, 4);
      code_.bytes += "<" + name_of(function.address + at + 4 + displacement) + ">";
      append(code, at + 12, 4);
      at += 16;
    }
  }

  // An address is made in a way that is not known here: it may be any function's.
  void call_all() {
    for (const auto& symbol : elf_.symbols) {
      if (symbol.is_function && !is_kernel(symbol.name)) function_number(symbol);
    }
  }

  bool is_kernel(const std::string& name) const {
    return std::ranges::any_of(elf_.symbols,
                               [&](const auto& symbol) { return symbol.name == name + ".kd"; });
  }

  void append(std::span<const std::byte> code, std::size_t at, std::size_t count) {
    code_.bytes.append(reinterpret_cast<const char*>(code.data()) + at, count);
  }

  // What lies at an address, so that it reads the same wherever that is.
  std::string name_of(std::uint64_t address) {
    for (const auto& relocation : elf_.relocations) {
      if (relocation.address == address) return name_of_relocated(relocation);
    }
    const ElfSymbol* best = nullptr;
    for (const auto& symbol : elf_.symbols) {
      if (address < symbol.address ||
          address >= symbol.address + std::max<std::uint64_t>(symbol.bytes, 1)) {
        continue;
      }
      if (!best || symbol.address > best->address) best = &symbol;
    }
    // One past its end, or before its start: an address that is offset again where it is used.
    if (!best) return unnamed(address);
    return name_of_symbol(*best, address - best->address);
  }

  std::string name_of_symbol(const ElfSymbol& symbol, std::uint64_t offset) {
    const auto suffix = "+" + std::to_string(offset);
    if (symbol.is_function) return "function " + std::to_string(function_number(symbol)) + suffix;
    const auto addresses = addresses_in(symbol);
    if (symbol.writable) {
      variables_.insert(plain_name(symbol.name));
      return "variable " + plain_name(symbol.name) + suffix;
    }
    return "constant " +
           std::string(reinterpret_cast<const char*>(symbol.contents.data()),
                       symbol.contents.size()) +
           addresses + suffix;
  }

  // What the loader writes into a variable or table: functions and variables that it leads to.
  std::string addresses_in(const ElfSymbol& table) {
    std::string text;
    // A table may lead back to itself.
    if (!followed_.insert(table.address).second) return text;
    for (const auto& relocation : elf_.relocations) {
      if (relocation.address < table.address || relocation.address >= table.address + table.bytes)
        continue;
      text += "[" + std::to_string(relocation.address - table.address) + " " +
              name_of_relocated(relocation) + "]";
    }
    return text;
  }

  std::string name_of_relocated(const ElfRelocation& relocation) {
    if (relocation.symbol.empty()) return "at " + name_of(relocation.target);
    for (const auto& symbol : elf_.symbols) {
      if (symbol.name == relocation.symbol)
        return "at " + name_of_symbol(symbol, relocation.target);
    }
    variables_.insert(plain_name(relocation.symbol));
    return "at outside " + relocation.symbol + "+" + std::to_string(relocation.target);
  }

  std::string unnamed(std::uint64_t address) {
    for (const auto& section : elf_.sections) {
      if (address < section.address || address > section.address + section.bytes) continue;
      if (section.writable) {
        // Which variable it means can't be told from its neighbours.
        variables_.insert("an unnamed variable");
        return "unnamed variable";
      }
      const auto at = address - section.address;
      const auto count = std::min<std::uint64_t>(
          kUnnamedBytes, section.contents.size() > at ? section.contents.size() - at : 0);
      return "unnamed " +
             std::string(reinterpret_cast<const char*>(section.contents.data()) + at, count);
    }
    return "outside";
  }

  Elf elf_;
  PortableCode code_;
  std::vector<const ElfSymbol*> functions_;
  std::map<std::uint64_t, std::size_t> numbers_;  // of functions, by address
  std::set<std::string> variables_;
  std::set<std::uint64_t> followed_;  // addresses of tables
};

}  // namespace

PortableCode portable_code(std::span<const std::byte> file, const std::string& kernel) {
  return Reader(file).read(kernel);
}

}  // namespace geak::replay

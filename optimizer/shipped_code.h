// The GPU code inside of what a build has made: objects, libraries, programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace geak::optimizer {

// SHA-256 (hexadecimal) of a kernel's code with its callees and descriptor, wherever it stands
// (replay/code_object/portable_code.h). `code`: an AMDGPU ELF. Throws std::runtime_error where it
// has no such kernel.
std::string code_hash(const std::string& code, const std::string& symbol);

struct ShippedCode {
  std::string architecture;  // "gfx90a"
  std::string elf;
  std::vector<std::string> kernels;  // symbols
};

// All code objects in an ELF object, shared library or program, or in the members of an archive;
// a bare AMDGPU ELF is one itself. Throws std::runtime_error naming the file where it is none of
// these.
std::vector<ShippedCode> read_shipped(const std::filesystem::path& file);

// "blur__geak_0123abcd" of "_Z19blur__geak_0123abcdPf"; empty where the symbol is no variant's.
std::string variant_in_symbol(const std::string& symbol);

}  // namespace geak::optimizer

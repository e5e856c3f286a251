// A kernel's machine code apart from where the linker put it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace geak::replay {

struct PortableCode {
  // The kernel's descriptor and instructions and those of all functions that it calls, with
  // addresses relative to the program counter replaced by what they name: the same bytes wherever
  // in a code object, and beside whatever other kernels, they stand. To be hashed.
  std::string bytes;
  // Variables that can be written and that any of it names, sorted.
  std::vector<std::string> variables;
  // The code of the kernel and of those functions; parts of `file`.
  std::vector<std::span<const std::byte>> functions;
  std::span<const std::byte> descriptor;
};

// `file`: an AMDGPU ELF; `kernel`: its device symbol. Tables of addresses are followed: what they
// point to counts as called, or as named. Where code forms an address that can't be told, all
// functions of the code object that are no kernels count as called. Addresses are recognised as
// LLVM writes them on gfx9, s_getpc_b64 with s_add_u32 and s_addc_u32 behind it (AMDGPU back end,
// SI_PC_ADD_REL_OFFSET). Throws std::runtime_error where the file is none, or has no such kernel.
PortableCode portable_code(std::span<const std::byte> file, const std::string& kernel);

}  // namespace geak::replay

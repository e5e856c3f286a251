// What an AMDGPU code object says of its kernels, before anything runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace geak::optimizer {

// From the metadata note (AMDGPUUsage, "Code Object V3 to V5 Metadata") and the symbol table.
struct KernelResources {
  std::string symbol;          // "_Z4blurPf"
  unsigned vgprs = 0;          // a lane's, AGPRs included where the architecture unifies them
  unsigned sgprs = 0;          // a wavefront's
  unsigned spilled_vgprs = 0;  // a lane's
  unsigned spilled_sgprs = 0;
  unsigned static_lds = 0;     // bytes for each workgroup
  unsigned scratch = 0;        // bytes for each work-item
  unsigned kernarg_bytes = 0;  // explicit and hidden arguments
  unsigned max_workgroup = 0;  // work-items
  std::string code;            // the machine code's bytes
};

// All kernels of an AMDGPU ELF. Throws std::runtime_error naming the file where it is none.
std::vector<KernelResources> read_kernels(const std::filesystem::path& code_object);

// The kernel whose symbol demangles to an (unqualified) function `name`; of several instantiations
// the one whose template arguments are those of `like` (a mangled symbol of the original).
std::optional<KernelResources> find_kernel(const std::vector<KernelResources>& kernels,
                                           const std::string& name, const std::string& like);

}  // namespace geak::optimizer

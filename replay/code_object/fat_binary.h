// Code objects inside of what hipcc embeds in a program (LLVM's clang-offload-bundler format).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace geak::replay {

struct BundledCode {
  std::string target;  // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"; empty for a bare ELF
  std::vector<std::byte> bytes;
};

// `image` is the bundle (plain, or compressed with zstd), or an ELF file alone; it need not say
// where it ends, so memory behind it is trusted as the HIP runtime trusts it. Host entries and
// empty ones are left out. Throws std::runtime_error for what is none of these.
std::vector<BundledCode> unbundle(const std::byte* image);

// The entry that a device of this architecture ("gfx90a:sramecc+:xnack-") loads: the same
// processor, no feature that contradicts; else the only entry there is; else none.
const BundledCode* code_for(const std::vector<BundledCode>& entries,
                            const std::string& architecture);

}  // namespace geak::replay

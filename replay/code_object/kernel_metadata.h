// What a code object says of its kernels (AMDGPUUsage, "Code Object V3 Metadata" and later).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace geak::replay {

struct KernelArgument {
  std::uint32_t offset = 0, bytes = 0;
  std::string value_kind;  // "global_buffer", "by_value", "hidden_block_count_x", ...
  std::string name;        // the parameter's, where the compiler keeps it
  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

struct KernelMetadata {
  std::string symbol;  // without ".kd"
  std::vector<KernelArgument> arguments;
  std::uint32_t kernarg_bytes = 0;  // explicit and hidden
  std::uint32_t kernarg_alignment = 8;
  std::uint32_t static_lds = 0;  // bytes for each workgroup
  std::uint32_t scratch = 0;     // bytes for each work-item
  std::uint32_t vgprs = 0, agprs = 0, sgprs = 0;
  std::uint32_t max_workgroup = 0;  // work-items
  std::uint32_t wavefront = 64;
  std::optional<std::vector<std::uint32_t>> required_workgroup;  // x, y, z

  // End of the last explicit argument.
  std::uint32_t explicit_bytes() const;
};

// `metadata`: MessagePack, as read_elf finds it. Throws std::runtime_error where it is none or its
// sizes are impossible.
std::vector<KernelMetadata> read_kernel_metadata(std::span<const std::byte> metadata);

// Null where there is none of that symbol.
const KernelMetadata* find_kernel_metadata(const std::vector<KernelMetadata>& kernels,
                                           const std::string& symbol);

}  // namespace geak::replay

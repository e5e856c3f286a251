#include "replay/code_object/kernel_metadata.h"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace geak::replay {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMaximumKernarg = 1u << 16;

std::uint32_t number(const json& map, const char* name, std::uint32_t otherwise = 0) {
  const auto found = map.find(name);
  return found != map.end() && found->is_number_unsigned() ? found->get<std::uint32_t>()
                                                           : otherwise;
}

std::string text(const json& map, const char* name) {
  const auto found = map.find(name);
  return found != map.end() && found->is_string() ? found->get<std::string>() : std::string();
}

KernelArgument argument_from(const json& map) {
  KernelArgument argument;
  argument.offset = number(map, ".offset");
  argument.bytes = number(map, ".size");
  argument.value_kind = text(map, ".value_kind");
  argument.name = text(map, ".name");
  if (argument.offset > kMaximumKernarg || argument.bytes > kMaximumKernarg) {
    throw std::runtime_error("kernel metadata with an argument of impossible size");
  }
  return argument;
}

KernelMetadata kernel_from(const json& map) {
  KernelMetadata kernel;
  kernel.symbol = text(map, ".symbol");
  if (kernel.symbol.ends_with(".kd")) kernel.symbol.resize(kernel.symbol.size() - 3);
  if (const auto found = map.find(".args"); found != map.end() && found->is_array()) {
    for (const auto& entry : *found) kernel.arguments.push_back(argument_from(entry));
  }
  kernel.kernarg_bytes = number(map, ".kernarg_segment_size");
  kernel.kernarg_alignment = std::max(8u, number(map, ".kernarg_segment_align"));
  kernel.static_lds = number(map, ".group_segment_fixed_size");
  kernel.scratch = number(map, ".private_segment_fixed_size");
  kernel.vgprs = number(map, ".vgpr_count");
  kernel.agprs = number(map, ".agpr_count");
  kernel.sgprs = number(map, ".sgpr_count");
  kernel.max_workgroup = number(map, ".max_flat_workgroup_size");
  kernel.wavefront = number(map, ".wavefront_size", 64);
  if (const auto found = map.find(".reqd_workgroup_size");
      found != map.end() && found->is_array() && found->size() == 3) {
    kernel.required_workgroup = found->get<std::vector<std::uint32_t>>();
  }
  for (const auto& argument : kernel.arguments) {
    if (argument.offset + argument.bytes > kernel.kernarg_bytes) {
      throw std::runtime_error("kernel metadata of " + kernel.symbol +
                               ": an argument lies outside of the kernarg segment");
    }
  }
  if (kernel.kernarg_bytes > kMaximumKernarg) {
    throw std::runtime_error("kernel metadata with a kernarg segment of impossible size");
  }
  return kernel;
}

}  // namespace

std::uint32_t KernelMetadata::explicit_bytes() const {
  std::uint32_t end = 0;
  for (const auto& argument : arguments) {
    if (!argument.hidden()) end = std::max(end, argument.offset + argument.bytes);
  }
  return end;
}

std::vector<KernelMetadata> read_kernel_metadata(std::span<const std::byte> metadata) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(metadata.data());
  json root;
  try {
    root = json::from_msgpack(begin, begin + metadata.size());
  } catch (const json::exception& error) {
    throw std::runtime_error(std::string("kernel metadata that is no MessagePack: ") +
                             error.what());
  }
  std::vector<KernelMetadata> kernels;
  if (!root.is_object()) return kernels;
  const auto found = root.find("amdhsa.kernels");
  if (found == root.end() || !found->is_array()) return kernels;
  try {
    for (const auto& entry : *found) kernels.push_back(kernel_from(entry));
  } catch (const json::exception& error) {
    throw std::runtime_error(std::string("kernel metadata of an unknown form: ") + error.what());
  }
  return kernels;
}

const KernelMetadata* find_kernel_metadata(const std::vector<KernelMetadata>& kernels,
                                           const std::string& symbol) {
  const auto found = std::ranges::find(kernels, symbol, &KernelMetadata::symbol);
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace geak::replay

#include "emulator/wave/kernel_notes.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>

#include <nlohmann/json.hpp>

namespace geak::emulator {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Json = nlohmann::json;

// The MessagePack of the note NT_AMDGPU_METADATA, as JSON; null where there is none.
Json metadata_of(const Elf& elf) {
  auto headers = elf.program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return nullptr;
  }
  Json found;
  for (const auto& header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE) continue;
    llvm::Error error = llvm::Error::success();
    for (const auto& note : elf.notes(header, error)) {
      if (note.getName() != "AMDGPU" || note.getType() != llvm::ELF::NT_AMDGPU_METADATA) continue;
      const auto contents = note.getDesc(header.p_align);
      found = Json::from_msgpack(contents.begin(), contents.end(), /*strict=*/true,
                                 /*allow_exceptions=*/false);
    }
    llvm::consumeError(std::move(error));
  }
  return found;
}

std::uint32_t number(const Json& kernel, const char* name) {
  const auto entry = kernel.find(name);
  return entry != kernel.end() && entry->is_number_unsigned() ? entry->get<std::uint32_t>() : 0;
}

// Calls visit(name, kernel) for each kernel of the file's metadata; the name is without ".kd".
template <typename Visit>
void for_each_kernel(std::span<const std::byte> file, const Visit& visit) {
  auto elf = Elf::create({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!elf) {
    llvm::consumeError(elf.takeError());
    return;
  }
  const Json metadata = metadata_of(*elf);
  if (!metadata.is_object() || !metadata.contains("amdhsa.kernels")) return;
  for (const Json& kernel : metadata["amdhsa.kernels"]) {
    if (!kernel.is_object()) continue;
    const auto symbol = kernel.find(".symbol");
    if (symbol == kernel.end() || !symbol->is_string()) continue;
    auto name = symbol->get<std::string>();
    if (name.ends_with(".kd")) name.resize(name.size() - 3);
    visit(name, kernel);
  }
}

}  // namespace

std::map<std::string, SpillCounts, std::less<>> read_spill_counts(std::span<const std::byte> elf) {
  std::map<std::string, SpillCounts, std::less<>> result;
  for_each_kernel(elf, [&](const std::string& name, const Json& kernel) {
    result[name] = {number(kernel, ".vgpr_spill_count"), number(kernel, ".sgpr_spill_count")};
  });
  return result;
}

std::map<std::string, std::uint32_t, std::less<>> read_hidden_offsets(
    std::span<const std::byte> elf, std::string_view value_kind, std::uint32_t bytes) {
  std::map<std::string, std::uint32_t, std::less<>> result;
  for_each_kernel(elf, [&](const std::string& name, const Json& kernel) {
    if (!kernel.contains(".args")) return;
    for (const Json& argument : kernel[".args"]) {
      if (!argument.is_object() || number(argument, ".size") != bytes) continue;
      if (argument.value(".value_kind", Json()) != value_kind) continue;
      result.emplace(name, number(argument, ".offset"));
    }
  });
  return result;
}

}  // namespace geak::emulator

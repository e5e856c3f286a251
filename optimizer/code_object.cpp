#include "optimizer/code_object.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <stdexcept>

namespace geak::optimizer {
namespace {

using Elf = llvm::object::ELFObjectFile<llvm::object::ELF64LE>;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error("the code object " + file.string() + " cannot be used: " + what);
}

unsigned number(llvm::msgpack::MapDocNode& map, const char* name) {
  const auto found = map.find(name);
  if (found == map.end()) return 0;
  if (found->second.getKind() == llvm::msgpack::Type::UInt)
    return static_cast<unsigned>(found->second.getUInt());
  return found->second.getKind() == llvm::msgpack::Type::Int
             ? static_cast<unsigned>(found->second.getInt())
             : 0;
}

KernelResources resources_from(llvm::msgpack::MapDocNode& map) {
  KernelResources kernel;
  if (const auto name = map.find(".name"); name != map.end() && name->second.isString())
    kernel.symbol = name->second.getString().str();
  kernel.vgprs = number(map, ".vgpr_count");
  kernel.sgprs = number(map, ".sgpr_count");
  kernel.spilled_vgprs = number(map, ".vgpr_spill_count");
  kernel.spilled_sgprs = number(map, ".sgpr_spill_count");
  kernel.static_lds = number(map, ".group_segment_fixed_size");
  kernel.scratch = number(map, ".private_segment_fixed_size");
  kernel.kernarg_bytes = number(map, ".kernarg_segment_size");
  kernel.max_workgroup = number(map, ".max_flat_workgroup_size");
  return kernel;
}

std::vector<KernelResources> kernels_of_note(llvm::StringRef description) {
  std::vector<KernelResources> kernels;
  llvm::msgpack::Document document;
  if (!document.readFromBlob(description, /*Multi=*/false) || !document.getRoot().isMap())
    return kernels;
  auto& root = document.getRoot().getMap();
  const auto list = root.find("amdhsa.kernels");
  if (list == root.end() || !list->second.isArray()) return kernels;
  for (auto& entry : list->second.getArray())
    if (entry.isMap()) kernels.push_back(resources_from(entry.getMap()));
  return kernels;
}

std::vector<KernelResources> kernels_of_notes(const Elf& elf, const std::filesystem::path& file) {
  const auto& image = elf.getELFFile();
  auto headers = image.program_headers();
  if (!headers) fail(file, llvm::toString(headers.takeError()));
  for (const auto& header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE) continue;
    llvm::Error error = llvm::Error::success();
    for (const auto note : image.notes(header, error)) {
      if (note.getName() != "AMDGPU" || note.getType() != llvm::ELF::NT_AMDGPU_METADATA) continue;
      llvm::consumeError(std::move(error));
      return kernels_of_note(note.getDescAsStringRef(std::max<size_t>(header.p_align, 4)));
    }
    if (error) fail(file, llvm::toString(std::move(error)));
  }
  fail(file, "it has no kernel metadata");
}

std::string code_of(const Elf& elf, const std::string& symbol) {
  for (const auto& entry : elf.symbols()) {
    auto name = entry.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (*name != symbol) continue;
    auto section = entry.getSection();
    auto address = entry.getAddress();
    if (!section || !address || *section == elf.section_end()) {
      if (!section) llvm::consumeError(section.takeError());
      if (!address) llvm::consumeError(address.takeError());
      continue;
    }
    auto contents = (*section)->getContents();
    if (!contents) {
      llvm::consumeError(contents.takeError());
      continue;
    }
    return contents->substr(*address - (*section)->getAddress(), entry.getSize()).str();
  }
  return {};
}

// "void detail::scan<int, 4>(int*)" -> name "scan", arguments "int, 4".
struct Parts {
  std::string name, template_arguments;
};

Parts parts_of(const std::string& symbol) {
  llvm::ItaniumPartialDemangler demangler;
  // Internal linkage adds ".static.<hash>" or ".intern.<hash>" to some symbols.
  const std::string plain = symbol.substr(0, symbol.find('.'));
  if (demangler.partialDemangle(plain.c_str())) return {plain, ""};  // extern "C"
  Parts parts;
  if (char* name = demangler.getFunctionBaseName(nullptr, nullptr)) {
    parts.name = name;
    std::free(name);
  }
  if (char* name = demangler.getFunctionName(nullptr, nullptr)) {
    const std::string qualified = name;
    std::free(name);
    const auto at = qualified.rfind(parts.name + "<");
    if (at != std::string::npos && qualified.ends_with(">"))
      parts.template_arguments = qualified.substr(at + parts.name.size());
  }
  return parts;
}

}  // namespace

std::vector<KernelResources> read_kernels(const std::filesystem::path& code_object) {
  auto buffer = llvm::MemoryBuffer::getFile(code_object.string(), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) fail(code_object, buffer.getError().message());
  auto object = llvm::object::ObjectFile::createELFObjectFile(**buffer);
  if (!object) fail(code_object, llvm::toString(object.takeError()));
  const auto* elf = llvm::dyn_cast<Elf>(object->get());
  if (!elf || elf->getELFFile().getHeader().e_machine != llvm::ELF::EM_AMDGPU)
    fail(code_object, "it is no AMDGPU ELF file");
  auto kernels = kernels_of_notes(*elf, code_object);
  for (auto& kernel : kernels) kernel.code = code_of(*elf, kernel.symbol);
  return kernels;
}

std::optional<KernelResources> find_kernel(const std::vector<KernelResources>& kernels,
                                           const std::string& name, const std::string& like) {
  const std::string wanted = parts_of(like).template_arguments;
  for (const auto& kernel : kernels) {
    const Parts parts = parts_of(kernel.symbol);
    if (parts.name == name && parts.template_arguments == wanted) return kernel;
  }
  return std::nullopt;
}

}  // namespace geak::optimizer

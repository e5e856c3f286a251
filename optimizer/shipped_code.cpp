#include "optimizer/shipped_code.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Magic.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SHA256.h>

#include <cstdlib>
#include <span>
#include <stdexcept>

#include "replay/code_object/elf.h"
#include "replay/code_object/fat_binary.h"
#include "replay/code_object/kernel_metadata.h"
#include "replay/code_object/portable_code.h"

namespace geak::optimizer {
namespace {

constexpr std::string_view kSection = ".hip_fatbin";
constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__", kCompressedMagic = "CCOB";
constexpr std::size_t kBundleAlignment = 4096;  // of each bundle in the section, by clang
constexpr std::size_t kSlack = 64;              // headers may claim to be longer than the file

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

void add_code(std::string elf, std::vector<ShippedCode>& found) {
  ShippedCode code;
  const auto parsed = replay::read_elf(bytes_of(elf));
  code.architecture = parsed.machine;
  for (const auto& kernel : replay::read_kernel_metadata(parsed.metadata)) {
    code.kernels.push_back(kernel.symbol);
  }
  code.elf = std::move(elf);
  found.push_back(std::move(code));
}

void add_bundles(llvm::StringRef section, std::vector<ShippedCode>& found) {
  for (std::size_t at = 0; at < section.size(); at += kBundleAlignment) {
    const auto rest = section.substr(at);
    if (!rest.starts_with(kBundleMagic) && !rest.starts_with(kCompressedMagic)) continue;
    std::string padded = rest.str();
    padded.append(kSlack, '\0');
    for (const auto& entry : replay::unbundle(reinterpret_cast<const std::byte*>(padded.data()))) {
      add_code({reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()}, found);
    }
  }
}

void add_object(llvm::MemoryBufferRef buffer, std::vector<ShippedCode>& found) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object) throw std::runtime_error(llvm::toString(object.takeError()));
  if ((*object)->getArch() == llvm::Triple::amdgcn) {
    add_code(buffer.getBuffer().str(), found);
    return;
  }
  for (const auto& section : (*object)->sections()) {
    auto name = section.getName();
    auto contents = section.getContents();
    if (!name || !contents) {
      llvm::consumeError(name.takeError());
      llvm::consumeError(contents.takeError());
      continue;
    }
    if (*name == llvm::StringRef(kSection)) add_bundles(*contents, found);
  }
}

void add_archive(llvm::MemoryBufferRef buffer, std::vector<ShippedCode>& found) {
  auto archive = llvm::object::Archive::create(buffer);
  if (!archive) throw std::runtime_error(llvm::toString(archive.takeError()));
  llvm::Error error = llvm::Error::success();
  for (const auto& member : (*archive)->children(error)) {
    auto contents = member.getMemoryBufferRef();
    if (!contents) throw std::runtime_error(llvm::toString(contents.takeError()));
    if (llvm::identify_magic(contents->getBuffer()) == llvm::file_magic::elf_relocatable) {
      add_object(*contents, found);
    }
  }
  if (error) throw std::runtime_error(llvm::toString(std::move(error)));
}

}  // namespace

std::string code_hash(const std::string& code, const std::string& symbol) {
  llvm::SHA256 hash;
  hash.update(replay::portable_code(bytes_of(code), symbol).bytes);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::vector<ShippedCode> read_shipped(const std::filesystem::path& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file.string(), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) throw std::runtime_error(file.string() + ": " + buffer.getError().message());
  std::vector<ShippedCode> found;
  try {
    const auto reference = (*buffer)->getMemBufferRef();
    if (llvm::identify_magic(reference.getBuffer()) == llvm::file_magic::archive) {
      add_archive(reference, found);
    } else {
      add_object(reference, found);
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
  return found;
}

std::string variant_in_symbol(const std::string& symbol) {
  constexpr std::string_view kMark = "__geak_";
  constexpr std::size_t kDigits = 8;
  const std::string plain = symbol.substr(0, symbol.find('.'));
  std::string name = plain;
  llvm::ItaniumPartialDemangler demangler;
  if (!demangler.partialDemangle(plain.c_str())) {
    if (char* base = demangler.getFunctionBaseName(nullptr, nullptr)) {
      name = base;
      std::free(base);
    }
  }
  const auto mark = name.rfind(kMark);
  if (mark == std::string::npos) return "";
  const auto end = mark + kMark.size() + kDigits;
  if (name.size() < end) return "";
  const auto digits = std::string_view(name).substr(mark + kMark.size(), kDigits);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return "";
  return name.substr(0, end);
}

}  // namespace geak::optimizer

#include "cli/program_code.h"

#include <fmt/format.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "support/compressed_bundle.h"

namespace geak::cli {
namespace {

constexpr std::string_view kBundle = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kElf = "\177ELF";
// In ELF headers version 5 of code objects is 3 (AMDGPUUsage).
constexpr std::size_t kAbiVersion = 8;
constexpr unsigned kAbiOfVersion4 = 2, kNewestVersion = 6;

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

// 0 where the bytes end before.
std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t value = 0;
  if (at <= bytes.size() && bytes.size() - at >= sizeof value)
    std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The highest version of a code object within the bundle; 0: there is none.
unsigned newest_version(std::span<const std::byte> bundle) {
  unsigned newest = 0;
  std::size_t at = kBundle.size() + 8;
  for (std::uint64_t left = number_at(bundle, kBundle.size()); left > 0; --left) {
    if (at > bundle.size() || bundle.size() - at < 24) break;
    const std::uint64_t offset = number_at(bundle, at), name = number_at(bundle, at + 16);
    if (offset < bundle.size()) {
      const auto code = bundle.subspan(offset);
      if (starts_with(code, kElf) && code.size() > kAbiVersion)
        newest = std::max(newest, static_cast<unsigned>(code[kAbiVersion]) + 4 - kAbiOfVersion4);
    }
    if (name > bundle.size()) break;
    at += 24 + name;
  }
  return newest;
}

std::string_view contents_of(const llvm::object::ObjectFile& file, llvm::StringRef wanted) {
  for (const llvm::object::SectionRef& section : file.sections()) {
    auto name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (*name != wanted) continue;
    auto contents = section.getContents();
    if (contents) return {contents->data(), contents->size()};
    llvm::consumeError(contents.takeError());
  }
  return {};
}

}  // namespace

std::string problem_of_hip5_code(std::span<const std::byte> section) {
  if (support::is_compressed_bundle(section)) {
    try {
      return problem_of_hip5_code(support::decompress_bundle(section));
    } catch (const std::runtime_error& error) {
      return std::string("its device code is ") + error.what() +
             ": build it without --offload-compress";
    }
  }
  if (!starts_with(section, kBundle)) return {};
  const unsigned version = newest_version(section);
  if (version <= kNewestVersion) return {};
  return fmt::format(
      "its device code is a code object of version {}, which the emulated GPU cannot load: build "
      "it with -mcode-object-version={}",
      version, kNewestVersion);
}

std::string problem_of_program(const std::filesystem::path& program) {
  auto file = llvm::object::ObjectFile::createObjectFile(program.string());
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  const llvm::object::ObjectFile& object = *file->getBinary();
  if (contents_of(object, ".dynstr").find("libamdhip64.so.5") == std::string_view::npos) return {};
  const std::string_view code = contents_of(object, ".hip_fatbin");
  const std::string problem =
      problem_of_hip5_code(std::as_bytes(std::span(code.data(), code.size())));
  return problem.empty() ? problem : "'" + program.string() + "': " + problem;
}

}  // namespace geak::cli

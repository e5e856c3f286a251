#include "replay/code_object/fat_binary.h"

#include <cstdint>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "replay/code_object/elf.h"
#include "support/compressed_bundle.h"

namespace geak::replay {
namespace {

constexpr char kBundle[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::size_t kBundleBytes = sizeof kBundle - 1;
constexpr std::uint64_t kMaximumEntries = 4096;

std::uint64_t u64_at(const std::byte* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::vector<BundledCode> entries_of(const std::byte* bundle) {
  const std::uint64_t count = u64_at(bundle + kBundleBytes);
  if (count > kMaximumEntries) throw std::runtime_error("an offload bundle with too many entries");
  const std::byte* at = bundle + kBundleBytes + 8;
  std::vector<BundledCode> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = u64_at(at), bytes = u64_at(at + 8), name = u64_at(at + 16);
    if (name > 4096) throw std::runtime_error("an offload bundle with an impossible name");
    const std::string kind(reinterpret_cast<const char*>(at + 24), name);
    at += 24 + name;
    // "hipv4-amdgcn-amd-amdhsa--gfx90a", "host-x86_64-unknown-linux--"
    const auto target = kind.find("amdgcn-");
    if (target == std::string::npos || bytes == 0) continue;
    entries.push_back({kind.substr(target), {bundle + offset, bundle + offset + bytes}});
  }
  return entries;
}

std::vector<BundledCode> compressed_entries_of(const std::byte* image) {
  auto bundle = support::decompress_bundle(image);
  if (bundle.size() < kBundleBytes + 8 || std::memcmp(bundle.data(), kBundle, kBundleBytes) != 0) {
    throw std::runtime_error("a damaged offload bundle");
  }
  bundle.resize(bundle.size() + 8);
  return entries_of(bundle.data());
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  return parts;
}

bool runs_on(const std::string& target, const std::string& architecture) {
  const auto dashes = target.rfind("--");
  const auto wanted = split(dashes == std::string::npos ? target : target.substr(dashes + 2));
  const auto device = split(architecture);
  if (wanted.empty() || device.empty() || wanted[0] != device[0]) return false;
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    auto contrary = wanted[i];
    if (contrary.empty()) continue;
    contrary.back() = contrary.back() == '+' ? '-' : '+';
    for (std::size_t j = 1; j < device.size(); ++j) {
      if (device[j] == contrary) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<BundledCode> unbundle(const std::byte* image) {
  if (std::memcmp(image, "\177ELF", 4) == 0) {
    return {{"", {image, image + elf_bytes(image)}}};
  }
  if (support::is_compressed_bundle({image, 4})) return compressed_entries_of(image);
  if (std::memcmp(image, kBundle, kBundleBytes) == 0) return entries_of(image);
  throw std::runtime_error("device code of an unknown container");
}

const BundledCode* code_for(const std::vector<BundledCode>& entries,
                            const std::string& architecture) {
  for (const auto& entry : entries) {
    if (!entry.target.empty() && runs_on(entry.target, architecture)) return &entry;
  }
  return entries.size() == 1 ? &entries.front() : nullptr;
}

}  // namespace geak::replay

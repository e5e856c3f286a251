#include "emulator/preload/disguise.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "emulator/hsa/disguise_marks.h"
#include "emulator/preload/kernel_metadata.h"
#include "emulator/preload/offload_bundle.h"
#include "support/compressed_bundle.h"

namespace geak::emulator {
namespace {

// Numbers of processors in the ELF header's flags, and ABI versions (AMDGPUUsage).
constexpr std::uint32_t kMachMask = 0xff, kMachGfx90a = 0x3f, kMachGfx942 = 0x4c;
constexpr unsigned char kAbiVersion4 = 2, kAbiVersion6 = 4;
constexpr Elf64_Half kAmdGpu = 224;  // EM_AMDGPU

bool disguise_target(Elf64_Ehdr& header) {
  if ((header.e_flags & kMachMask) != kMachGfx942) return false;
  header.e_flags = (header.e_flags & ~kMachMask) | kMachGfx90a;
  std::memcpy(header.e_ident + kGfx942MarkOffset, kGfx942Mark, sizeof kGfx942Mark);
  return true;
}

bool disguise_version(Elf64_Ehdr& header) {
  const unsigned char version = header.e_ident[EI_ABIVERSION];
  if (version <= kAbiVersion4 || version > kAbiVersion6) return false;
  header.e_ident[kAbiMarkOffset] = version;
  header.e_ident[EI_ABIVERSION] = kAbiVersion4;
  return true;
}

bool disguise_elf(std::span<std::byte> elf, Arch device) {
  if (elf.size() < sizeof(Elf64_Ehdr) || !is_elf(elf)) return false;
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  if (header.e_machine != kAmdGpu) return false;
  bool changed = device == Arch::gfx942 && disguise_target(header);
  changed |= disguise_version(header);
  std::memcpy(elf.data(), &header, sizeof header);
  changed |= adapt_kernel_metadata(elf);
  return changed;
}

bool rename(std::span<std::byte> bundle, const BundleEntry& entry, std::string_view from,
            std::string_view to) {
  const auto place = entry.id.find(from);
  if (place == std::string_view::npos) return false;
  std::memcpy(bundle.data() + entry.id_at + place, to.data(), to.size());
  return true;
}

bool has_gfx942(const std::vector<BundleEntry>& entries) {
  for (const auto& entry : entries)
    if (entry.size > 0 && entry.id.find("gfx942") != std::string_view::npos) return true;
  return false;
}

// False when nothing was changed or it is malformed.
bool disguise_bundle(std::span<std::byte> bundle, Arch device) {
  std::vector<BundleEntry> entries;
  if (!read_bundle(bundle, entries)) return false;
  for (const auto& entry : entries)
    if (entry.offset > bundle.size() || entry.size > bundle.size() - entry.offset) return false;
  const bool renamed = device == Arch::gfx942 && has_gfx942(entries);
  bool changed = false;
  for (const auto& entry : entries) {
    if (renamed && !rename(bundle, entry, "gfx90a", "gfx90x"))
      rename(bundle, entry, "gfx942", "gfx90a");
    changed |= disguise_elf(bundle.subspan(entry.offset, entry.size), device);
  }
  return changed;
}

}  // namespace

std::vector<std::byte> disguise(std::span<const std::byte> image, Arch device) {
  const bool compressed = support::is_compressed_bundle(image);
  auto copy = compressed ? support::decompress_bundle(image)
                         : std::vector<std::byte>(image.begin(), image.end());
  const bool changed = is_bundle(copy) ? disguise_bundle(copy, device) : disguise_elf(copy, device);
  return changed || compressed ? copy : std::vector<std::byte>{};
}

}  // namespace geak::emulator

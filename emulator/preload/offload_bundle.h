// The bundle of code objects that clang embeds in a program, as bytes without a known end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace geak::emulator {

struct BundleEntry {
  std::uint64_t offset = 0, size = 0;  // of its contents, from the bundle's begin
  std::size_t id_at = 0;
  std::string_view id;  // "hipv4-amdgcn-amd-amdhsa--gfx90a"
};

bool is_bundle(std::span<const std::byte> image);
bool is_elf(std::span<const std::byte> image);

// False when the headers make no sense. `bundle` may reach beyond the real end; contents aren't
// looked at, and may lie outside.
bool read_bundle(std::span<const std::byte> bundle, std::vector<BundleEntry>& entries);

// The size of the bundle (compressed or not) or code object that begins there, as its own headers
// say; 0 when it is neither.
std::size_t image_bytes(const void* image);

}  // namespace geak::emulator

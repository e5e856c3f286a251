#include "replay/code_object/fat_binary.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>

namespace geak::replay {
namespace {

void put(std::vector<std::byte>& bytes, std::uint64_t value, std::size_t width = 8) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void put(std::vector<std::byte>& bytes, const std::string& text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

std::vector<std::byte> bundle_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::vector<std::byte> bytes, contents;
  std::size_t header = 32;
  for (const auto& [target, code] : entries) header += 24 + target.size();
  put(bytes, "__CLANG_OFFLOAD_BUNDLE__");
  put(bytes, entries.size());
  for (const auto& [target, code] : entries) {
    put(bytes, header + contents.size());
    put(bytes, code.size());
    put(bytes, target.size());
    put(bytes, target);
    put(contents, code);
  }
  bytes.insert(bytes.end(), contents.begin(), contents.end());
  return bytes;
}

const std::vector<std::pair<std::string, std::string>> kEntries = {
    {"host-x86_64-unknown-linux--", ""},
    {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "minus"},
    {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "plus"},
    {"hipv4-amdgcn-amd-amdhsa--gfx942", "other"}};

std::string code(const BundledCode* entry) {
  if (!entry) return "none";
  return {reinterpret_cast<const char*>(entry->bytes.data()), entry->bytes.size()};
}

TEST(FatBinary, ChoosesTheDevicesEntry) {
  const auto entries = unbundle(bundle_of(kEntries).data());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(code(code_for(entries, "gfx90a:sramecc+:xnack-")), "minus");
  EXPECT_EQ(code(code_for(entries, "gfx90a:sramecc+:xnack+")), "plus");
  EXPECT_EQ(code(code_for(entries, "gfx942:sramecc+:xnack-")), "other");
  EXPECT_EQ(code(code_for(entries, "gfx908")), "none");
}

TEST(FatBinary, ReadsCompressedOnes) {
  const auto plain = bundle_of(kEntries);
  std::vector<std::byte> packed(ZSTD_compressBound(plain.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  std::vector<std::byte> image;
  put(image, "CCOB");
  put(image, 2, 2);
  put(image, 1, 2);
  put(image, 24 + packed.size(), 4);
  put(image, plain.size(), 4);
  put(image, 0, 8);
  image.insert(image.end(), packed.begin(), packed.end());
  EXPECT_EQ(unbundle(image.data()).size(), 3u);
  image[30] ^= std::byte{0xff};
  EXPECT_THROW(unbundle(image.data()), std::runtime_error);
}

TEST(FatBinary, RefusesOtherContainers) {
  const std::vector<std::byte> zeros(64);
  EXPECT_THROW(unbundle(zeros.data()), std::runtime_error);
}

}  // namespace
}  // namespace geak::replay

#include "support/compressed_bundle.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace geak::support {
namespace {

template <typename T>
void put(std::string& text, T number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string packed(const std::string& contents) {
  std::string out(ZSTD_compressBound(contents.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), contents.data(), contents.size(), 3));
  return out;
}

// As clang 19 writes it (2), and as later ones do (3).
std::string image_of(unsigned version, const std::string& contents, std::uint16_t method = 1) {
  const std::string data = packed(contents);
  std::string image = "CCOB";
  put<std::uint16_t>(image, static_cast<std::uint16_t>(version));
  put<std::uint16_t>(image, method);
  if (version == 2) {
    put<std::uint32_t>(image, static_cast<std::uint32_t>(24 + data.size()));
    put<std::uint32_t>(image, static_cast<std::uint32_t>(contents.size()));
  } else {
    put<std::uint64_t>(image, 32 + data.size());
    put<std::uint64_t>(image, contents.size());
  }
  put<std::uint64_t>(image, 0x1234567890abcdef);  // a hash that nobody reads
  return image + data;
}

std::string contents_of(const std::string& image) {
  const auto bytes = decompress_bundle(std::as_bytes(std::span(image)));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const std::string kContents = "a bundle, a bundle, a bundle of code objects";

TEST(CompressedBundle, BothVersionsAreRead) {
  for (const unsigned version : {2u, 3u}) {
    const std::string image = image_of(version, kContents);
    EXPECT_TRUE(is_compressed_bundle(std::as_bytes(std::span(image))));
    EXPECT_EQ(contents_of(image), kContents);
    const auto* begin = reinterpret_cast<const std::byte*>(image.data());
    EXPECT_EQ(compressed_bundle_bytes(begin), image.size());
    EXPECT_EQ(decompress_bundle(begin).size(), kContents.size());
    EXPECT_EQ(contents_of(image + "what follows in the section"), kContents);
  }
}

TEST(CompressedBundle, OthersAreNone) {
  for (const std::string text : {"", "CCO", "\177ELF", "__CLANG_OFFLOAD_BUNDLE__"})
    EXPECT_FALSE(is_compressed_bundle(std::as_bytes(std::span(text))));
}

TEST(CompressedBundle, UnknownVersionsAndMethodsAreNamed) {
  const auto message = [](const std::string& image) -> std::string {
    try {
      contents_of(image);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  std::string old = image_of(2, kContents);
  old[4] = 1;
  EXPECT_NE(message(old).find("version 1"), std::string::npos);
  EXPECT_NE(message(image_of(2, kContents, 0)).find("zstd"), std::string::npos);
}

TEST(CompressedBundle, DamagedOnesAreErrors) {
  const std::string whole = image_of(2, kContents);
  for (std::size_t size = 4; size < whole.size(); ++size)
    EXPECT_THROW(contents_of(whole.substr(0, size)), std::runtime_error) << size;
  std::string longer = whole;  // says more contents than there are
  longer[12] ^= 1;
  EXPECT_THROW(contents_of(longer), std::runtime_error);
}

}  // namespace
}  // namespace geak::support

#include "emulator/preload/disguise.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>
#include <string>

#include "emulator/hsa/disguise_marks.h"
#include "emulator/preload/offload_bundle.h"
#include "tests/emulator/preload/bundle.h"

namespace geak::emulator {
namespace {

constexpr unsigned char kVersion4 = 2, kVersion5 = 3, kVersion6 = 4;

std::string elf(std::uint32_t flags, unsigned char abi = kVersion4) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_ABIVERSION] = abi;
  header.e_machine = 224;
  header.e_flags = flags;
  header.e_shoff = sizeof header;
  return std::string(reinterpret_cast<const char*>(&header), sizeof header);
}

std::string compressed(const std::string& contents) {
  std::string packed(ZSTD_compressBound(contents.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), contents.data(), contents.size(), 3));
  const std::uint16_t version[2] = {2, 1};  // of the container, and zstd
  const std::uint32_t sizes[2] = {static_cast<std::uint32_t>(24 + packed.size()),
                                  static_cast<std::uint32_t>(contents.size())};
  return "CCOB" + std::string(reinterpret_cast<const char*>(version), 4) +
         std::string(reinterpret_cast<const char*>(sizes), 8) + std::string(8, '#') + packed;
}

std::string disguised(const std::string& image, Arch device = Arch::gfx942) {
  const auto out = disguise(std::as_bytes(std::span(image)), device);
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

std::uint32_t flags_of(const std::string& text, std::size_t at = 0) {
  Elf64_Ehdr header;
  std::memcpy(&header, text.data() + at, sizeof header);
  return header.e_flags;
}

TEST(Disguise, CodeObjectGetsNumberAndMark) {
  const auto out = disguised(elf(0x54c));
  ASSERT_FALSE(out.empty());
  EXPECT_EQ(flags_of(out), 0x53fu);
  EXPECT_TRUE(has_gfx942_mark(std::as_bytes(std::span(out))));
}

TEST(Disguise, LeavesOtherCodeObjectsAlone) {
  EXPECT_EQ(disguised(elf(0x53f)), "");
  EXPECT_EQ(disguised(elf(0x54c), Arch::gfx90a), "");
  std::string for_the_host = elf(0x53f, kVersion5);
  for_the_host[offsetof(Elf64_Ehdr, e_machine)] = EM_X86_64;
  EXPECT_EQ(disguised(for_the_host), "");
}

TEST(Disguise, Versions5And6SayFourAndAreMarked) {
  for (const Arch device : {Arch::gfx90a, Arch::gfx942}) {
    for (const unsigned char version : {kVersion5, kVersion6}) {
      const auto out = disguised(elf(0x53f, version), device);
      ASSERT_FALSE(out.empty());
      EXPECT_EQ(out[EI_ABIVERSION], kVersion4);
      EXPECT_EQ(marked_abi_version(std::as_bytes(std::span(out))), version);
      EXPECT_FALSE(has_gfx942_mark(std::as_bytes(std::span(out))));
    }
  }
  EXPECT_EQ(disguised(elf(0x53f, kVersion6 + 1)), "");
  const auto plain = elf(0x53f);
  EXPECT_EQ(marked_abi_version(std::as_bytes(std::span(plain))), 0u);
}

TEST(Disguise, CodeObjectsOfVersion5InABundle) {
  const auto image = bundle({{"host-x86_64-unknown-linux--", ""},
                             {"hipv4-amdgcn-amd-amdhsa--gfx90a", elf(0x53f, kVersion5)}});
  const auto out = disguised(image, Arch::gfx90a);
  ASSERT_EQ(out.size(), image.size());
  EXPECT_NE(out.find("amdhsa--gfx90a"), std::string::npos);
  const auto code = std::as_bytes(std::span(out)).last(sizeof(Elf64_Ehdr));
  EXPECT_EQ(marked_abi_version(code), kVersion5);
}

TEST(Disguise, CompressedBundlesAreDecompressed) {
  const auto plain = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", elf(0x53f)}});
  EXPECT_EQ(disguised(compressed(plain), Arch::gfx90a), plain);
  const auto newer = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", elf(0x53f, kVersion5)}});
  EXPECT_EQ(disguised(compressed(newer), Arch::gfx90a), disguised(newer, Arch::gfx90a));
}

TEST(Disguise, DamagedCompressedBundlesAreErrors) {
  const auto whole = compressed(bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", elf(0x53f)}}));
  for (std::size_t size = 4; size < whole.size(); ++size)
    EXPECT_THROW(disguised(whole.substr(0, size)), std::runtime_error) << size;
  for (std::size_t at = 4; at < 16; ++at) {  // version, method and sizes
    auto damaged = whole;
    damaged[at] ^= 0x55;
    EXPECT_THROW(disguised(damaged), std::runtime_error) << at;
  }
}

TEST(Disguise, RenamesEntriesAndHidesTheRealGfx90a) {
  const auto image = bundle({{"host-x86_64-unknown-linux--", ""},
                             {"hipv4-amdgcn-amd-amdhsa--gfx90a", elf(0x53f)},
                             {"hipv4-amdgcn-amd-amdhsa--gfx942", elf(0x54c)}});
  const auto out = disguised(image);
  ASSERT_EQ(out.size(), image.size());
  EXPECT_NE(out.find("amdhsa--gfx90x"), std::string::npos);
  EXPECT_NE(out.find("amdhsa--gfx90a"), std::string::npos);
  EXPECT_EQ(out.find("amdhsa--gfx942"), std::string::npos);
  EXPECT_EQ(flags_of(out, out.size() - sizeof(Elf64_Ehdr)), 0x53fu);
}

TEST(Disguise, BundleWithoutGfx942IsLeftAlone) {
  EXPECT_EQ(disguised(bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", elf(0x53f)}})), "");
}

TEST(Disguise, TruncatedBundlesAreLeftAlone) {
  const auto image = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", elf(0x54c)}});
  for (std::size_t size = 0; size < image.size(); ++size) {
    EXPECT_EQ(disguised(image.substr(0, size)), "") << size;
  }
}

TEST(Disguise, SizeFromHeaders) {
  const auto image = bundle({{"a", "12345"}, {"hipv4-amdgcn-amd-amdhsa--gfx942", elf(0x54c)}});
  EXPECT_EQ(image_bytes(image.data()), image.size());
  EXPECT_EQ(image_bytes(elf(0).data()), sizeof(Elf64_Ehdr));
  EXPECT_EQ(image_bytes(compressed(image).data()), compressed(image).size());
  const std::string other(100, 'x');
  EXPECT_EQ(image_bytes(other.data()), 0u);
}

}  // namespace
}  // namespace geak::emulator

#include "emulator/preload/disguise.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "emulator/hsa/gfx942_mark.h"

namespace geak::emulator {
namespace {

std::string elf(std::uint32_t flags) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_flags = flags;
  header.e_shoff = sizeof header;
  return std::string(reinterpret_cast<const char*>(&header), sizeof header);
}

void append(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text = "__CLANG_OFFLOAD_BUNDLE__";
  append(text, entries.size());
  std::size_t at = text.size();
  for (const auto& [id, content] : entries) at += 24 + id.size();
  std::string contents;
  for (const auto& [id, content] : entries) {
    append(text, at + contents.size());
    append(text, content.size());
    append(text, id.size());
    text += id;
    contents += content;
  }
  return text + contents;
}

std::string disguised(const std::string& image) {
  const auto out = disguise_gfx942(std::as_bytes(std::span(image)));
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

TEST(Disguise, ArgumentsOfKernelsThatLaunchOthersAreReplaced) {
  const std::string before = "\xab.value_kind\xb8hidden_completion_action";
  const std::string after = "\xd9\x0b.value_kind\xd9\x16hidden_global_offset_x";
  ASSERT_EQ(before.size(), after.size());
  const std::string queue = "\xb4hidden_default_queue", nothing = "\xb4hidden_printf_buffer";
  const auto out = disguised(elf(0x54c) + before + queue + "..." + before);
  EXPECT_EQ(out.substr(sizeof(Elf64_Ehdr)), after + nothing + "..." + after);
}

TEST(Disguise, LeavesOtherCodeObjectsAlone) { EXPECT_EQ(disguised(elf(0x53f)), ""); }

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
  const std::string other(100, 'x');
  EXPECT_EQ(image_bytes(other.data()), 0u);
}

}  // namespace
}  // namespace geak::emulator

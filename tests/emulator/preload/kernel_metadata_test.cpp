#include "emulator/preload/kernel_metadata.h"

#include <gtest/gtest.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/wave/kernel_notes.h"
#include "tests/emulator/hsa/assemble.h"

namespace geak::emulator {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Kinds = std::vector<std::string>;

struct Argument {
  std::string kind;
  unsigned offset, bytes;
};

std::string kernel_text(const std::string& kernel, const std::vector<Argument>& arguments) {
  std::string text = "  - .name: " + kernel + "\n    .symbol: " + kernel +
                     ".kd\n    .kernarg_segment_size: 300\n    .group_segment_fixed_size: 0\n"
                     "    .private_segment_fixed_size: 0\n    .kernarg_segment_align: 8\n"
                     "    .wavefront_size: 64\n    .sgpr_count: 8\n    .vgpr_count: 4\n"
                     "    .max_flat_workgroup_size: 1024\n    .args:\n";
  for (const auto& argument : arguments) {
    text += "      - .offset: " + std::to_string(argument.offset) +
            "\n        .size: " + std::to_string(argument.bytes) +
            "\n        .value_kind: " + argument.kind + "\n";
    if (argument.kind == "global_buffer") text += "        .address_space: global\n";
  }
  return text;
}

std::vector<std::byte> object_with(const std::string& kernels) {
  return assemble(".text\ns_endpgm\n.amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.kernels:\n" +
                      kernels + ".end_amdgpu_metadata\n",
                  "gfx90a", 5);
}

const std::vector<std::byte>& object() {
  static const auto bytes =
      object_with(kernel_text("first", {{"global_buffer", 0, 8},
                                        {"hidden_block_count_x", 8, 4},
                                        {"hidden_default_queue", 112, 8},
                                        {"hidden_completion_action", 120, 8},
                                        {"hidden_dynamic_lds_size", 128, 4}}) +
                  kernel_text("second", {{"by_value", 0, 4}, {"hidden_group_size_x", 20, 2}}) +
                  kernel_text("third", {{"hidden_dynamic_lds_size", 120, 4}}));
  return bytes;
}

// The notes as another reader finds them, by program headers or by sections.
nlohmann::json read_metadata(std::span<const std::byte> bytes, bool by_section) {
  auto elf = Elf::create({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!elf) throw std::runtime_error(llvm::toString(elf.takeError()));
  nlohmann::json found;
  unsigned notes = 0;
  const auto look = [&](const auto& header, std::size_t align) {
    llvm::Error error = llvm::Error::success();
    for (const auto& note : elf->notes(header, error)) {
      const auto contents = note.getDesc(align);
      found = nlohmann::json::from_msgpack(contents.begin(), contents.end());
      ++notes;
    }
    if (error) throw std::runtime_error(llvm::toString(std::move(error)));
  };
  if (by_section) {
    for (const auto& section : llvm::cantFail(elf->sections()))
      if (section.sh_type == llvm::ELF::SHT_NOTE) look(section, section.sh_addralign);
  } else {
    for (const auto& segment : llvm::cantFail(elf->program_headers()))
      if (segment.p_type == llvm::ELF::PT_NOTE) look(segment, segment.p_align);
  }
  EXPECT_EQ(notes, 1u);
  return found;
}

Kinds kinds_of(const nlohmann::json& metadata, unsigned kernel) {
  Kinds kinds;
  for (const auto& argument : metadata["amdhsa.kernels"][kernel][".args"])
    kinds.push_back(argument[".value_kind"]);
  return kinds;
}

TEST(KernelMetadata, ThoseThatTheRuntimeMistakesAreNone) {
  auto bytes = object();
  ASSERT_TRUE(adapt_kernel_metadata(bytes));
  ASSERT_EQ(bytes.size(), object().size());
  for (const bool by_section : {false, true}) {
    const auto metadata = read_metadata(bytes, by_section);
    EXPECT_EQ(kinds_of(metadata, 0), (Kinds{"global_buffer", "hidden_block_count_x", "hidden_none",
                                            "hidden_none", "hidden_none"}));
    EXPECT_EQ(kinds_of(metadata, 1), (Kinds{"by_value", "hidden_group_size_x"}));
    EXPECT_EQ(kinds_of(metadata, 2), (Kinds{"hidden_none"}));
  }
}

TEST(KernelMetadata, AStackOfUnknownSizeBecomesAFixedOne) {
  const auto with = [](const std::string& kernel, const char* dynamic) {
    return kernel_text(kernel, {{"by_value", 0, 4}}) + "    .uses_dynamic_stack: " + dynamic + "\n";
  };
  auto bytes = object_with(with("deep", "true") + with("flat", "false"));
  ASSERT_TRUE(adapt_kernel_metadata(bytes));
  const auto kernels = read_metadata(bytes, false)["amdhsa.kernels"];
  EXPECT_EQ(kernels[0][".private_segment_fixed_size"], 16384);
  EXPECT_FALSE(kernels[0].contains(".uses_dynamic_stack"));
  EXPECT_EQ(kernels[1][".private_segment_fixed_size"], 0);
  EXPECT_FALSE(adapt_kernel_metadata(bytes));
}

TEST(KernelMetadata, NothingElseOfTheMetadataChanges) {
  auto bytes = object();
  auto expected = read_metadata(bytes, false);
  ASSERT_TRUE(adapt_kernel_metadata(bytes));
  for (auto& kernel : expected["amdhsa.kernels"]) {
    for (auto& argument : kernel[".args"]) {
      const std::string kind = argument[".value_kind"];
      if (kind == "hidden_dynamic_lds_size" || kind == "hidden_default_queue" ||
          kind == "hidden_completion_action")
        argument[".value_kind"] = "hidden_none";
    }
  }
  EXPECT_EQ(read_metadata(bytes, false), expected);
}

TEST(KernelMetadata, TheLoaderFindsWhereTheSizeOfDynamicLdsBelongs) {
  auto bytes = object();
  ASSERT_TRUE(adapt_kernel_metadata(bytes));
  const auto found = read_hidden_offsets(bytes, "hidden_none", 4);
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at("first"), 128u);
  EXPECT_EQ(found.at("third"), 120u);
}

TEST(KernelMetadata, WhatTheRuntimeKnowsIsLeftAlone) {
  const auto original = object_with(kernel_text(
      "plain", {{"global_buffer", 0, 8}, {"hidden_block_count_x", 8, 4}, {"hidden_none", 16, 8}}));
  auto bytes = original;
  EXPECT_FALSE(adapt_kernel_metadata(bytes));
  EXPECT_EQ(bytes, original);
}

TEST(KernelMetadata, AdaptingTwiceIsAdaptingOnce) {
  auto bytes = object();
  ASSERT_TRUE(adapt_kernel_metadata(bytes));
  const auto once = bytes;
  EXPECT_FALSE(adapt_kernel_metadata(bytes));
  EXPECT_EQ(bytes, once);
}

// Cut anywhere, or with impossible numbers in its headers, nothing beyond is read or written.
TEST(KernelMetadata, DamagedFilesAreSafe) {
  const auto& whole = object();
  for (std::size_t size = 0; size < whole.size(); size += size < 1500 ? 1 : 97) {
    std::vector<std::byte> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    adapt_kernel_metadata(exact);
  }
  for (std::size_t at = 16; at + 8 < 1500 && at + 8 < whole.size(); at += 4) {
    auto damaged = whole;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{0xff});
    adapt_kernel_metadata(damaged);
  }
}

}  // namespace
}  // namespace geak::emulator

#include "replay/code_object/kernel_metadata.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "replay/code_object/elf.h"

namespace geak::replay {
namespace {

nlohmann::json metadata() {
  return {{"amdhsa.kernels",
           {{{".symbol", "_Z1kPfi.kd"},
             {".kernarg_segment_size", 24},
             {".kernarg_segment_align", 8},
             {".group_segment_fixed_size", 1024},
             {".max_flat_workgroup_size", 256},
             {".args",
              {{{".offset", 0}, {".size", 8}, {".value_kind", "global_buffer"}, {".name", "x"}},
               {{".offset", 8}, {".size", 4}, {".value_kind", "by_value"}},
               {{".offset", 16}, {".size", 8}, {".value_kind", "hidden_global_offset_x"}}}}}}}};
}

std::vector<KernelMetadata> read(const nlohmann::json& json) {
  const auto bytes = nlohmann::json::to_msgpack(json);
  return read_kernel_metadata(std::as_bytes(std::span(bytes)));
}

TEST(KernelMetadata, ReadsArgumentsAndResources) {
  const auto kernels = read(metadata());
  const auto* kernel = find_kernel_metadata(kernels, "_Z1kPfi");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->static_lds, 1024u);
  EXPECT_EQ(kernel->max_workgroup, 256u);
  EXPECT_EQ(kernel->explicit_bytes(), 12u);
  ASSERT_EQ(kernel->arguments.size(), 3u);
  EXPECT_EQ(kernel->arguments[0].name, "x");
  EXPECT_TRUE(kernel->arguments[2].hidden());
  EXPECT_EQ(find_kernel_metadata(kernels, "_Z1j"), nullptr);
}

TEST(KernelMetadata, RefusesImpossibleSizes) {
  auto json = metadata();
  json["amdhsa.kernels"][0][".args"][1][".offset"] = 21;
  EXPECT_THROW(read(json), std::runtime_error);
  json["amdhsa.kernels"][0][".args"][1][".offset"] = 4294967295u;
  EXPECT_THROW(read(json), std::runtime_error);
}

TEST(KernelMetadata, RefusesWhatIsNoMessagePack) {
  const std::vector<std::byte> bytes(7, std::byte{0xc1});
  EXPECT_THROW(read_kernel_metadata(bytes), std::runtime_error);
}

TEST(CodeObjectElf, RefusesOtherFiles) {
  std::vector<std::byte> bytes(200);
  EXPECT_THROW(read_elf(bytes), std::runtime_error);
  EXPECT_THROW(read_elf({}), std::runtime_error);
}

}  // namespace
}  // namespace geak::replay

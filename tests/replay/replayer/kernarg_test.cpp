#include "replay/replayer/kernarg.h"

#include <gtest/gtest.h>

#include <cstring>

namespace geak::replay {
namespace {

std::uint64_t at(const std::vector<std::byte>& bytes, std::size_t offset, std::size_t width) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, width);
  return value;
}

TEST(Kernarg, FillsHiddenArgumentsOfVersion5) {
  KernelMetadata kernel;
  kernel.kernarg_bytes = 8 + 256;
  kernel.arguments = {{0, 8, "global_buffer", ""},        {8, 4, "hidden_block_count_x", ""},
                      {20, 2, "hidden_group_size_x", ""}, {26, 2, "hidden_remainder_x", ""},
                      {72, 2, "hidden_grid_dims", ""},    {128, 4, "hidden_dynamic_lds_size", ""},
                      {208, 8, "hidden_queue_ptr", ""}};
  HiddenValues values{{1000, 2, 1}, {256, 1, 1}, 512, false, 0x1234};
  const auto bytes = build_kernarg(kernel, {1, 0, 0, 0, 0, 0, 0, 0}, values);
  ASSERT_EQ(bytes.size(), 264u);
  EXPECT_EQ(at(bytes, 0, 8), 1u);
  EXPECT_EQ(at(bytes, 8, 4), 3u);  // whole workgroups; the rest is in the remainder
  EXPECT_EQ(at(bytes, 20, 2), 256u);
  EXPECT_EQ(at(bytes, 26, 2), 232u);
  EXPECT_EQ(at(bytes, 72, 2), 2u);
  EXPECT_EQ(at(bytes, 128, 4), 512u);
  EXPECT_EQ(at(bytes, 208, 8), 0x1234u);
}

TEST(Kernarg, RefusesMoreArgumentsThanTheKernelTakes) {
  KernelMetadata kernel;
  kernel.kernarg_bytes = 4;
  EXPECT_THROW(build_kernarg(kernel, std::vector<std::uint8_t>(8), {}), std::runtime_error);
}

}  // namespace
}  // namespace geak::replay

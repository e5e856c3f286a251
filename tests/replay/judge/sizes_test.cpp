#include "replay/judge/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace geak::replay {
namespace {

// f(float* x, int n), workgroups of 256.
struct Vector {
  LaunchRecord launch;
  KernelMetadata kernel;
  Image before;

  explicit Vector(std::int32_t n) {
    kernel.arguments = {
        {0, 8, "global_buffer", ""}, {8, 4, "by_value", ""}, {16, 4, "hidden_block_count_x", ""}};
    launch.block = {256, 1, 1};
    launch.grid = {static_cast<std::uint32_t>((n + 255) / 256 * 256), 1, 1};
    launch.kernarg.resize(12);
    std::memcpy(launch.kernarg.data() + 8, &n, 4);
    launch.pointers = {{0, 0, 0}};
    Region region;
    region.base = 0x10000;
    region.bytes = static_cast<std::uint64_t>(n) * 4;
    launch.regions = {region};
    before = {std::vector<std::byte>(region.bytes, std::byte{1})};
  }

  std::int32_t n_of(const LaunchRecord& record) const {
    std::int32_t n = 0;
    std::memcpy(&n, record.kernarg.data() + 8, 4);
    return n;
  }
};

TEST(Sizes, AnArgumentThatGridAndMemoryFollow) {
  const Vector vector(1000);
  const auto sizes = find_sizes(vector.launch, vector.kernel, {});
  ASSERT_EQ(sizes.size(), 1u);
  EXPECT_EQ(sizes[0].value, 1000);
  ASSERT_EQ(sizes[0].axes.size(), 1u);
  EXPECT_EQ(sizes[0].axes[0].items, 256u);
  ASSERT_EQ(sizes[0].extents.size(), 1u);
  EXPECT_EQ(sizes[0].extents[0].element_bytes, 4u);
}

TEST(Sizes, ANumberThatNothingFollowsIsNone) {
  Vector vector(1000);
  const std::int32_t other = 77;
  std::memcpy(vector.launch.kernarg.data() + 8, &other, 4);
  EXPECT_TRUE(find_sizes(vector.launch, vector.kernel, {}).empty());
}

TEST(Sizes, AFloatIsNone) {
  const Vector vector(1000);
  EXPECT_TRUE(find_sizes(vector.launch, vector.kernel, {"float *", "float"}).empty());
}

TEST(Sizes, ShrinkingKeepsTheMemory) {
  const Vector vector(1000);
  const auto size = find_sizes(vector.launch, vector.kernel, {})[0];
  const auto made = resized(vector.launch, vector.before, size, 257);
  ASSERT_TRUE(made);
  EXPECT_EQ(vector.n_of(made->record), 257);
  EXPECT_EQ(made->record.grid[0], 512u);
  EXPECT_EQ(made->record.regions[0].bytes, 4000u);
}

TEST(Sizes, GrowingGrowsTheMemory) {
  const Vector vector(1024);
  const auto size = find_sizes(vector.launch, vector.kernel, {})[0];
  const auto made = resized(vector.launch, vector.before, size, 1025);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->record.grid[0], 1280u);
  EXPECT_EQ(made->record.regions[0].bytes, 4100u);
  EXPECT_EQ(made->before[0].size(), 4100u);
  EXPECT_EQ(made->before[0].back(), std::byte{1});
}

TEST(Sizes, TheEdgesAreAmongThoseTried) {
  const Vector vector(4096);
  const auto size = find_sizes(vector.launch, vector.kernel, {})[0];
  const auto tried = sizes_to_try(vector.launch, size);
  for (const std::int64_t value : {1, 257, 4095, 4097}) {
    EXPECT_NE(std::ranges::find(tried, value), tried.end()) << value;
  }
  EXPECT_TRUE(std::ranges::any_of(tried, [](auto value) { return value % 2 && value > 257; }));
}

TEST(Sizes, UnalignedMovesEveryBuffer) {
  const Vector vector(1000);
  const auto made = unaligned(vector.launch, vector.before, {4});
  EXPECT_EQ(made.record.regions[0].base, 0x10004u);
  std::uint64_t address = 0;
  std::memcpy(&address, made.record.kernarg.data(), 8);
  EXPECT_EQ(address, 0x10004u);
}

// Sizes that the original would take at run time show nothing of the candidate.
TEST(Sizes, ThoseThatRunTakeThePlaceOfThoseThatDoNot) {
  const Vector vector(1000);
  const auto size = find_sizes(vector.launch, vector.kernel, {}).front();
  const auto that_run = [&](const std::function<bool(std::int32_t)>& runs,
                            const std::vector<std::int64_t>& named = {}) {
    return sizes_that_run(vector.launch, size, named,
                          [&](const LaunchRecord& record) { return runs(vector.n_of(record)); });
  };
  EXPECT_EQ(that_run([](auto) { return true; }), sizes_to_try(vector.launch, size));
  const auto multiples = that_run([](auto n) { return n % 8 == 0; });
  EXPECT_GE(multiples.size(), 4U);
  for (const auto value : multiples) EXPECT_EQ(value % 8, 0) << value;
  EXPECT_NE(std::ranges::find(multiples, 8), multiples.end()) << "as near to one as there is";
  const auto round = that_run([](auto n) { return n % 512 == 0; });
  EXPECT_NE(std::ranges::find(round, 512), round.end());
  EXPECT_TRUE(that_run([](auto) { return false; }).empty());
  // Only what a condition names, and the recorded size, which is tried anyway.
  EXPECT_EQ(that_run([](auto n) { return n == 1000 || n == 777; }, {777, 1000, 1 << 20}),
            std::vector<std::int64_t>{777});
  EXPECT_TRUE(that_run([](auto n) { return n == 1000; }, {1000, -5}).empty());
}

}  // namespace
}  // namespace geak::replay

#include "replay/judge/variations.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/replay/judge/bytes.h"

namespace geak::replay {
namespace {

// f(float* x, float alpha, int mode, unsigned long seed, Struct {int; float})
struct Kernel {
  LaunchRecord launch;
  KernelMetadata kernel;
  std::vector<std::string> types = {"float *", "float", "int", "unsigned long", "Line"};

  Kernel(float alpha, std::int32_t mode, std::uint64_t seed) {
    kernel.arguments = {{0, 8, "global_buffer", ""},
                        {8, 4, "by_value", ""},
                        {12, 4, "by_value", ""},
                        {16, 8, "by_value", ""},
                        {24, 8, "by_value", ""}};
    launch.kernarg.resize(32);
    put(8, alpha);
    put(12, mode);
    put(16, seed);
    put(24, std::int32_t{1000});
    put(28, 2.5f);
    launch.pointers = {{0, 0, 0}};
    launch.regions.resize(1);
  }
  template <typename T>
  void put(std::size_t offset, T value) {
    std::memcpy(launch.kernarg.data() + offset, &value, sizeof value);
  }
  template <typename T>
  static T get(const LaunchRecord& record, std::size_t offset) {
    T value;
    std::memcpy(&value, record.kernarg.data() + offset, sizeof value);
    return value;
  }
  std::vector<OtherArguments> others() const { return other_arguments(launch, kernel, types, {}); }
};

TEST(Variations, NumbersChangeTogetherModesAndSeedsAlone) {
  const Kernel kernel(1.0f, 0, 88172645463325252ull);
  const auto others = kernel.others();
  ASSERT_EQ(others.size(), 3u);
  EXPECT_EQ(Kernel::get<std::int32_t>(others[0].record, 12), 1);
  EXPECT_EQ(Kernel::get<float>(others[0].record, 8), 1.0f);
  EXPECT_NE(Kernel::get<std::uint64_t>(others[1].record, 16), 88172645463325252ull);
  EXPECT_NE(Kernel::get<float>(others[2].record, 8), 1.0f);
  EXPECT_NE(Kernel::get<float>(others[2].record, 28), 2.5f);
  EXPECT_EQ(Kernel::get<std::int32_t>(others[2].record, 24), 1000);  // neither mode nor seed
}

TEST(Variations, AStepNeverBecomesZero) {
  const Kernel kernel(1.0f, 1, 5);
  for (const auto& other : kernel.others())
    EXPECT_GE(Kernel::get<std::int32_t>(other.record, 12), 1) << other.what;
}

TEST(Variations, SizesAreLeftToOthers) {
  const Kernel kernel(1.0f, 2, 5);
  SizeArgument size;
  size.offsets = {12};
  for (const auto& other : other_arguments(kernel.launch, kernel.kernel, kernel.types, {size}))
    EXPECT_EQ(Kernel::get<std::int32_t>(other.record, 12), 2) << other.what;
}

TEST(Variations, MemoryOfOneValueGetsOthers) {
  const LaunchRecord launch;
  const Image before = {bytes<float>({1.5f}), bytes<float>({1, 2, 3}), bytes<int>({0, 0, 0, 0}),
                        bytes<float>({4, 4, 4})};
  const auto made =
      other_constants(launch, before, {true, true, true, false},
                      {ElementType::f32, ElementType::f32, ElementType::u32, ElementType::f32});
  ASSERT_EQ(made.size(), 2u);  // zeros as integers and as floats
  EXPECT_NE(made[0].before[0], before[0]);
  EXPECT_EQ(made[0].before[1], before[1]);
  EXPECT_NE(made[0].before[2], before[2]);
  EXPECT_EQ(made[0].before[3], before[3]);  // it was written
  EXPECT_NE(made[1].before[2], made[0].before[2]);
}

TEST(Variations, LargeNumbersAreNoIndices) {
  const LaunchRecord launch;
  std::vector<float> numbers(200), indices(200);
  for (std::size_t i = 0; i < 200; ++i) {
    numbers[i] = 0.37f * static_cast<float>(i) + 0.1f;
    indices[i] = static_cast<float>(i);
  }
  const Image before = {bytes(numbers), bytes(indices)};
  const auto made = large_values(launch, before, {true, true});
  ASSERT_TRUE(made);
  EXPECT_NE(made->before[0], before[0]);
  EXPECT_EQ(made->before[1], before[1]);
  EXPECT_FALSE(large_values(launch, before, {false, false}));
}

}  // namespace
}  // namespace geak::replay

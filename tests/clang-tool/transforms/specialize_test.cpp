#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

const char* const loop_kernel =
    "__global__ void k(float* a, int n, bool up) {\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = up ? 1 : 2;\n}";

TEST(Specialize, PutsArgumentsAndBlockIn) {
  KernelUnderTest kernel(loop_kernel, "k", {launch({1, 1, 1}, {64, 1, 1}, {4096, 100, 1})});
  const Variant variant =
      kernel.variant({{"specialize", {{"arguments", {{"1", 100}, {"2", 1}}}, {"block", true}}}});
  EXPECT_THAT(variant.text, HasSubstr("i < 100; i += 64u) a[i] = true ? 1 : 2;"));
  EXPECT_EQ(variant.launch.conditions.size(), 3U);
}

TEST(Specialize, OffersWhatTheLargestLaunchHas) {
  KernelUnderTest kernel(
      loop_kernel, "k",
      {launch({9, 1, 1}, {64, 1, 1}, {4096, 1, 1}), launch({2, 1, 1}, {64, 1, 1}, {4096, 512, 1})});
  bool offered = false;
  for (const TransformOption& option : kernel.session().options())
    offered = offered ||
              option.step ==
                  RecipeStep{"specialize", {{"arguments", {{"1", 1}, {"2", 1}}}, {"block", true}}};
  EXPECT_TRUE(offered);
}

TEST(Specialize, KeepsTheTypeOfTheParameter) {
  KernelUnderTest kernel("__global__ void k(long* a, long n, unsigned char c) { a[0] = n * c; }",
                         "k", {launch({1, 1, 1}, {64, 1, 1}, {4096, -3, 7})});
  const std::string text = kernel.text({{"specialize", {{"arguments", {{"1", -3}, {"2", 7}}}}}});
  EXPECT_THAT(text, HasSubstr("((long)-3ll) * ((unsigned char)7ll)"));
}

TEST(Specialize, RefusesWhatIsNoConstantOfTheLaunch) {
  KernelUnderTest changed("__global__ void k(float* a, int n) { while (n-- > 0) a[n] = 1; }", "k",
                          {launch({1, 1, 1}, {64, 1, 1}, {4096, 5})});
  EXPECT_THAT(changed.refusal({{"specialize", {{"arguments", {{"1", 5}}}}}}), HasSubstr("changed"));
  KernelUnderTest kernel(loop_kernel, "k", {launch({1, 1, 1}, {64, 1, 1}, {4096, 5, 0})});
  EXPECT_THAT(kernel.refusal({{"specialize", {{"arguments", {{"0", 5}}}}}}),
              HasSubstr("no integer"));
  KernelUnderTest unused("__global__ void k(float* a, int n) { a[0] = 1; }", "k",
                         {launch({1, 1, 1}, {64, 1, 1}, {4096, 5})});
  EXPECT_THAT(unused.refusal({{"specialize", {{"arguments", {{"1", 5}}}}}}), HasSubstr("none"));
  KernelUnderTest two(loop_kernel, "k",
                      {launch({1, 1, 1}, {64, 1, 1}), launch({1, 1, 1}, {32, 1, 1})});
  EXPECT_THAT(two.refusal({{"specialize", {{"block", true}}}}), HasSubstr("differ"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

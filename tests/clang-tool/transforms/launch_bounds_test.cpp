#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const RecipeStep step{"launch_bounds", nlohmann::json::object()};

TEST(LaunchBounds, StatesTheSizeThatAllLaunchesHave) {
  KernelUnderTest kernel("__global__ void k(float* a) { a[threadIdx.x] = 1; }", "k",
                         {launch({4, 1, 1}, {64, 2, 1}), launch({9, 1, 1}, {64, 2, 1})});
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("void __launch_bounds__(128) k__geak_"));
  EXPECT_EQ(variant.launch.conditions.size(), 3U);
  EXPECT_TRUE(variant.launch.keeps_launch());
}

TEST(LaunchBounds, WorksInNamespacesAndTemplates) {
  KernelUnderTest kernel(
      "namespace detail {\ntemplate <typename T>\n__global__ void scale(T* a) { a[threadIdx.x] *= "
      "2; "
      "}\n}\nvoid go(float* a) { detail::scale<<<1, 256>>>(a); }",
      "detail::scale", {launch({1, 1, 1}, {256, 1, 1})}, {"float"});
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("template <typename T>"));
  EXPECT_THAT(variant.guard, HasSubstr("__is_same(T, float)"));
}

TEST(LaunchBounds, RefusesWhatItCannotKnowOrWouldNotChange) {
  const std::string plain = "__global__ void k(float* a) { a[threadIdx.x] = 1; }";
  EXPECT_THAT(KernelUnderTest(plain, "k").refusal({step}), HasSubstr("differ"));
  EXPECT_THAT(
      KernelUnderTest(plain, "k", {launch({1, 1, 1}, {64, 1, 1}), launch({1, 1, 1}, {32, 1, 1})})
          .refusal({step}),
      HasSubstr("differ"));
  EXPECT_THAT(KernelUnderTest(plain, "k", {launch({1, 1, 1}, {1024, 1, 1})}).refusal({step}),
              HasSubstr("assumed anyway"));
  // A size that an earlier step chose is stated: nvcc assumes none.
  KernelUnderTest enlarged(
      "__global__ void k(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }", "k",
      {launch({16, 1, 1}, {256, 1, 1})});
  EXPECT_THAT(enlarged.text({{"block_shape", {{"block", {1024, 1, 1}}}}, step}),
              HasSubstr("__launch_bounds__(1024)"));
  EXPECT_THAT(KernelUnderTest("__global__ void __launch_bounds__(256) k(float* a) { a[0] = 1; }",
                              "k", {launch({1, 1, 1}, {64, 1, 1})})
                  .refusal({step}),
              HasSubstr("already"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

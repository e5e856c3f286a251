#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const RecipeStep step{"restrict", nlohmann::json::object()};

TEST(RestrictPointers, GuardsEveryPairThatIsWritten) {
  KernelUnderTest kernel(
      "__global__ void k(const float* a, const float* b, float* c) { c[0] = a[0] + b[0]; }", "k");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("const float* __restrict__ a, const float* __restrict__ b, "
                                      "float* __restrict__ c"));
  // a and b are only read.
  ASSERT_EQ(variant.launch.conditions.size(), 2U);
  EXPECT_EQ(variant.launch.conditions[0].index, 0U);
  EXPECT_EQ(variant.launch.conditions[0].value, 2);
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart(a, c)"));
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart(b, c)"));
}

TEST(RestrictPointers, NeedsNoGuardForOnePointer) {
  KernelUnderTest kernel("__global__ void k(int* a) { a[0] += a[1]; }", "k");
  EXPECT_TRUE(kernel.variant({step}).guard.empty());
}

TEST(RestrictPointers, TakesConstantTables) {
  KernelUnderTest kernel(
      "__constant__ float table[4];\n"
      "__global__ void k(const float* a, float* c) { c[0] = a[0] * table[1]; }",
      "k");
  EXPECT_THAT(kernel.text({step}), HasSubstr("__restrict__ c"));
}

TEST(RestrictPointers, RefusesOtherWaysToMemory) {
  EXPECT_THAT(KernelUnderTest("__global__ void k(float** a) { a[0][0] = 1; }", "k").refusal({step}),
              HasSubstr("a holds pointers"));
  EXPECT_THAT(KernelUnderTest("struct S { float* p; };\n"
                              "__global__ void k(S s, float* b) { b[0] = s.p[0]; }",
                              "k")
                  .refusal({step}),
              HasSubstr("s holds pointers"));
  EXPECT_THAT(KernelUnderTest("__device__ float total;\n"
                              "__device__ void add(float x) { total += x; }\n"
                              "__global__ void k(float* b) { add(b[0]); }",
                              "k")
                  .refusal({step}),
              HasSubstr("device variable total"));
  EXPECT_THAT(KernelUnderTest("__global__ void k(int n) {}", "k").refusal({step}),
              HasSubstr("no pointer"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

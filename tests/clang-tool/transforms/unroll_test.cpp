#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Unroll, UnrollsKnownLoopsInFull) {
  KernelUnderTest kernel("__global__ void k(float* a) { for (int i = 0; i < 24; ++i) a[i] += 1; }",
                         "k");
  EXPECT_THAT(kernel.text({{"unroll", {{"factor", 0}}}}), HasSubstr("#pragma unroll\nfor"));
}

TEST(Unroll, UnrollsInnermostLoopsByAFactor) {
  KernelUnderTest kernel(
      "__global__ void k(float* a, int n) {\n"
      "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < i; ++j) a[i] += a[j];\n}",
      "k");
  const std::string text = kernel.text({{"unroll", {{"factor", 4}}}});
  EXPECT_THAT(text, HasSubstr("#pragma unroll 4\nfor (int j"));
  EXPECT_THAT(text, Not(HasSubstr("#pragma unroll 4\nfor (int i")));
}

TEST(Unroll, KnowsTemplateArguments) {
  KernelUnderTest kernel(
      "template <int N>\n__global__ void k(float* a) { for (int i = 0; i < N; ++i) a[i] += 1; }\n"
      "void go(float* a) { k<12><<<1, 1>>>(a); }",
      "k", {}, {"12"});
  const Variant variant = kernel.variant({{"unroll", {{"factor", 0}}}});
  EXPECT_THAT(variant.text, HasSubstr("#pragma unroll\n"));
  EXPECT_EQ(variant.guard, "(N) == (12)");
}

TEST(Unroll, RefusesWhereThereIsNothingToUnroll) {
  EXPECT_THAT(KernelUnderTest("__global__ void k(float* a) { a[0] = 1; }", "k")
                  .refusal({{"unroll", {{"factor", 4}}}}),
              HasSubstr("no loop"));
  KernelUnderTest unknown(
      "__global__ void k(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = 1; }", "k");
  EXPECT_THAT(unknown.refusal({{"unroll", {{"factor", 0}}}}), HasSubstr("no loop"));
  EXPECT_THAT(unknown.refusal({{"unroll", {{"factor", 1}}}}), HasSubstr("factor"));
  KernelUnderTest marked(
      "__global__ void k(float* a, int n) {\n#pragma unroll 2\n"
      "  for (int i = 0; i < n; ++i) a[i] = 1;\n}",
      "k");
  EXPECT_THAT(marked.refusal({{"unroll", {{"factor", 4}}}}), HasSubstr("no loop"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

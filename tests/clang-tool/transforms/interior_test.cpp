#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const RecipeStep step{"interior", {{"compact", true}}};

TEST(Interior, TestsTheOutermostNeighboursOnce) {
  KernelUnderTest kernel(
      "__global__ void blur(const float* in, float* out, int w, int h) {\n"
      "  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  const int y = blockIdx.y * blockDim.y + threadIdx.y;\n  float sum = 0;\n"
      "  for (int dy = -1; dy <= 1; ++dy)\n    for (int dx = -1; dx <= 1; ++dx) {\n"
      "      const int ix = x + dx;\n"
      "      if (ix >= 0 && ix < w && y + dy >= 0 && y + dy < h) sum += in[(y + dy) * w + ix];\n"
      "    }\n  out[y * w + x] = sum;\n}",
      "blur");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("(x + (-1))) >= (0)"));
  EXPECT_THAT(text, HasSubstr("(x + (1))) < w"));
  EXPECT_THAT(text, HasSubstr("(y + (1)) < h"));
  EXPECT_THAT(text, HasSubstr("} else {"));
}

TEST(Interior, TakesOneDimension) {
  KernelUnderTest kernel(
      "__global__ void fir(const float* in, float* out, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float sum = 0;\n"
      "  for (int k = 0; k < 9; ++k) { if (i - k >= 0) { sum += in[i - k]; } }\n"
      "  if (i < n) out[i] = sum;\n}",
      "fir");
  EXPECT_THAT(kernel.text({step}), HasSubstr("(i - (8)) >= (0)"));
}

TEST(Interior, FollowsCoarsening) {
  KernelUnderTest kernel(
      "__global__ void blur(const float* in, float* out, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  float sum = 0;\n"
      "  for (int k = -2; k <= 2; ++k) { const int j = i + k; if (j >= 0 && j < n) sum += in[j]; "
      "}\n"
      "  out[i] = sum;\n}",
      "blur", {launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 256})});
  const std::string text =
      kernel.text({{"coarsen", {{"factors", {4, 1, 1}}, {"order", "consecutive"}}}, step});
  EXPECT_THAT(text, HasSubstr("i_item3 + (2)"));
  bool offered = false;
  for (const TransformOption& option : kernel.session().options())
    offered = offered || option.step.transform == sequence_step;
  EXPECT_TRUE(offered);
}

TEST(Interior, RefusesWhatIsNotLinearOrMayWrap) {
  const auto refusal = [](const std::string& body) {
    return KernelUnderTest(
               "__global__ void k(const float* a, float* o, int n, unsigned u) {\n"
               "  const int i = threadIdx.x;\n  float s = 0;\n" +
                   body + "\n  o[i] = s;\n}",
               "k")
        .refusal({step});
  };
  const auto refuses = HasSubstr("no loops of constant length");
  EXPECT_THAT(refusal("for (int k = 0; k < 5; ++k) if (k * k < n) s += a[k];"), refuses);
  EXPECT_THAT(refusal("for (int k = 0; k < n; ++k) if (i + k < n) s += a[k];"), refuses);
  EXPECT_THAT(refusal("for (unsigned k = 0; k < 5; ++k) if (u - k < 9) s += a[k];"), refuses);
  EXPECT_THAT(refusal("for (int k = 0; k < 5; ++k) if (i + k < a[k]) s += a[k];"), refuses);
  EXPECT_THAT(refusal("for (int k = 0; k < 5; ++k) { if (i + k < n) s += a[k]; else s = 0; }"),
              refuses);
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

const RecipeStep step{"single_precision", nlohmann::json::object()};

TEST(SinglePrecision, KeepsFloatsThatWereHeldInDoubles) {
  KernelUnderTest kernel(
      "__global__ void two(const float* at, float* out, int n) {\n"
      "  double first = 1e40, second = 1e40;\n  for (int k = 0; k < n; ++k) {\n"
      "    const float d = at[k];\n    if (d < first) {\n      second = first;\n      first = d;\n"
      "    } else if (d < second) {\n      second = d;\n    }\n  }\n"
      "  out[threadIdx.x] = first;\n  out[threadIdx.x + 64] = second;\n}",
      "two");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("float first = ((float)(1e40)), second = ((float)(1e40));"));
}

TEST(SinglePrecision, NarrowsArithmeticWithDoubleLiterals) {
  KernelUnderTest kernel(
      "__global__ void gelu(const float* in, float* out) {\n  const float x = in[threadIdx.x];\n"
      "  out[threadIdx.x] = 0.5 * x * (1.0 + tanh(0.79788 * (x + 0.044715 * x * x * x)));\n}",
      "gelu");
  EXPECT_THAT(kernel.text({step}), HasSubstr("0.5f * x * (1.0f + tanh(0.79788f *"));
}

TEST(SinglePrecision, NarrowsSumsAndCasts) {
  KernelUnderTest kernel(
      "__global__ void mean(const float* in, float* out, int n) {\n  double sum = 0;\n"
      "  for (int i = 0; i < n; ++i) sum += double(in[i]) * (double)in[i];\n"
      "  out[threadIdx.x] = sqrt(sum / n);\n}",
      "mean");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("float sum = 0;"));
  EXPECT_THAT(text, HasSubstr("float(in[i]) * (float)in[i]"));
  EXPECT_THAT(text, Not(HasSubstr("double")));
}

std::string refusal(const std::string& body, const std::string& parameters = "const float* a") {
  return KernelUnderTest(
             "__device__ float own(double x) { return float(x); }\n"
             "__global__ void k(" +
                 parameters + ", float* b, int* c) {\n" + body + "\n}",
             "k")
      .refusal({step});
}

TEST(SinglePrecision, RefusesWhereRoundingDecides) {
  EXPECT_THAT(refusal("if (a[0] * 0.1 < a[1]) b[0] = 1;"), HasSubstr("decide a comparison"));
  EXPECT_THAT(refusal("double s = 0; s += a[0]; if (s < a[1]) b[0] = 1;"),
              HasSubstr("decide a comparison"));
  EXPECT_THAT(refusal("c[0] = int(a[0] * 10.0);"), HasSubstr("become an integer"));
  // 0.1 is no float.
  EXPECT_THAT(refusal("if (a[0] < 0.1) b[0] = 1;"), HasSubstr("decide a comparison"));
}

TEST(SinglePrecision, RefusesKernelsOverDoubles) {
  EXPECT_THAT(refusal("b[0] = a[0] * 2.0;", "const double* a"), HasSubstr("a holds doubles"));
  EXPECT_THAT(refusal("b[0] = own(a[0] * 2.0);"), HasSubstr("takes doubles"));
  EXPECT_THAT(refusal("__shared__ double s[64]; s[threadIdx.x] = a[0]; b[0] = s[0];"),
              HasSubstr("doubles in memory"));
  EXPECT_THAT(refusal("b[0] = a[0] * 2.0f;"), HasSubstr("no double arithmetic"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RecipeStep step(const nlohmann::json& divisions = true) {
  return {"fast_math", {{"divisions", divisions}}};
}

TEST(FastMath, ReplacesFunctionsAndDivisionsWithinEachOther) {
  KernelUnderTest kernel(
      "__global__ void gate(float* out, const float* in) {\n"
      "  const int i = threadIdx.x;\n  const float x = in[i];\n"
      "  out[i] = x / (1.0f + expf(-x / 2.5f)) / in[i + 1];\n}",
      "gate");
  EXPECT_THAT(kernel.text({step()}),
              HasSubstr("__fdividef(__fdividef(x , (1.0f + __expf(-x / 2.5f))) , in[i + 1])"));
  EXPECT_THAT(kernel.text({step(false)}), HasSubstr("x / (1.0f + __expf(-x / 2.5f)) / in"));
  EXPECT_THAT(kernel.text({step("scaled")}),
              HasSubstr("__fdividef(0.25f * (__fdividef(0.25f * (x ), 0.25f * ( (1.0f + "
                        "__expf(-x / 2.5f)))) ), 0.25f * ( in[i + 1]))"));
  EXPECT_THAT(kernel.refusal({step("none")}), HasSubstr("must be true, false"));
}

TEST(FastMath, TanhIsMadeOfAnExponential) {
  KernelUnderTest kernel(
      "__global__ void gelu(float* x) {\n  const float v = x[threadIdx.x];\n"
      "  x[threadIdx.x] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));\n}",
      "gelu");
  EXPECT_THAT(
      kernel.text({step()}),
      HasSubstr("(1.0f - __fdividef(2.0f, __expf(2.0f * (0.79788456f * (v + 0.044715f * v * v * "
                "v))) + 1.0f))"));
}

TEST(FastMath, FollowsOverloadsAndLeavesDoublesAlone) {
  KernelUnderTest kernel(
      "__global__ void row(float* out, const float* in, const double* scale, int d) {\n"
      "  float most = in[0], sum = 0;\n"
      "  for (int i = 1; i < d; ++i) most = fmaxf(most, in[i]);\n"
      "  for (int i = 0; i < d; ++i) sum += exp(in[i] - most);\n"
      "  for (int i = 0; i < d; ++i) {\n    float v = std::exp(in[i] - most);\n    v /= sum;\n"
      "    out[i] = v * exp(scale[i]) / scale[0];\n  }\n}",
      "row");
  EXPECT_THAT(
      kernel.text({step()}),
      AllOf(HasSubstr("sum += __expf(in[i] - most)"), HasSubstr("v = __expf("),
            HasSubstr("v = __fdividef(v, sum);"), HasSubstr("v * exp(scale[i]) / scale[0]")));
}

std::string refusal(const std::string& body) {
  return KernelUnderTest(
             "__device__ bool large(float x) { return x > 3; }\n"
             "__device__ float doubled(float x) { return 2 * x; }\n"
             "__global__ void k(float* out, const float* in, int* at) {\n"
             "  __shared__ float lds[64];\n  const int i = threadIdx.x;\n" +
                 body + "\n}",
             "k")
      .refusal({step()});
}

TEST(FastMath, RefusesWhatWouldDecide) {
  const auto compared = HasSubstr("decide a comparison");
  const auto integer = HasSubstr("become an integer");
  EXPECT_THAT(refusal("if (expf(in[i]) > 2) out[i] = 1;"), compared);
  EXPECT_THAT(refusal("const float x = in[i] / in[1]; out[i] = x < 1 ? 0 : in[2];"), compared);
  EXPECT_THAT(refusal("lds[i] = expf(in[i]); out[i] = 1; if (lds[0] < 2) out[i] = 2;"), compared);
  EXPECT_THAT(refusal("float s = 0; for (int j = 0; j < 4; ++j) { if (s > 3) break; "
                      "s += expf(in[j]); } out[i] = s;"),
              compared);
  EXPECT_THAT(refusal("at[i] = in[i] / in[1];"), integer);
  EXPECT_THAT(refusal("const int bin = logf(in[i]); out[bin] = 1;"), integer);
  EXPECT_THAT(refusal("out[i] = large(in[i] / in[1]);"), HasSubstr("compares a rounded value"));
  EXPECT_THAT(refusal("out[i] = floorf(in[i] / in[1]);"), HasSubstr("compares a rounded value"));
  EXPECT_EQ(refusal("out[i] = doubled(in[i] / in[1]);"), "");
}

std::string refusal_of_class(const std::string& members) {
  return KernelUnderTest("struct Cell {\n" + members +
                             "\n};\n__global__ void k(Cell* out, const float* in) {\n"
                             "  out[threadIdx.x] = Cell(expf(in[threadIdx.x]));\n}",
                         "k")
      .refusal({step()});
}

TEST(FastMath, ConstructorsMayDecideToo) {
  const auto decides = HasSubstr("a class compares a rounded value or makes an integer of it");
  EXPECT_THAT(refusal_of_class("int at; __device__ explicit Cell(float v) : at(int(v)) {}"),
              decides);
  EXPECT_THAT(refusal_of_class("int at; __device__ explicit Cell(float v) { at = v < 2; }"),
              decides);
  EXPECT_EQ(refusal_of_class("float at; __device__ explicit Cell(float v) : at(v) {}"), "");
  EXPECT_EQ(refusal_of_class("unsigned short at; __device__ explicit Cell(float v) {\n"
                             "  at = v != v ? 0x7fc0 : __float_as_uint(v) >> 16; }"),
            "");
}

TEST(FastMath, TestsForNanDecideNothing) {
  EXPECT_EQ(refusal("const float x = in[i] / in[1]; out[i] = x != x ? 0 : x;"), "");
  EXPECT_EQ(refusal("const unsigned bits = __float_as_uint(expf(in[i]));\n"
                    "out[i] = (bits & 0x7fffffffu) > 0x7f800000u ? 0 : bits >> 16;"),
            "");
  EXPECT_THAT(refusal("const unsigned bits = __float_as_uint(expf(in[i]));\n"
                      "out[i] = (bits & 0x7fffffffu) > 0x7f000000u ? 0 : bits >> 16;"),
              HasSubstr("decide a comparison"));
  EXPECT_THAT(refusal("const float x = in[i] / in[1]; out[i] = x ? 0 : x;"), HasSubstr("integer"));
}

TEST(FastMath, RefusesKernelsThatHaveNothingToReplace) {
  EXPECT_THAT(refusal("out[i] = in[i] / 3.0f + at[i] / at[1] + sqrtf(in[i]);"),
              HasSubstr("no float function or division"));
}

TEST(FastMath, LeavesTheProjectsOwnFunctionsOfSuchNames) {
  KernelUnderTest kernel(
      "namespace own { __device__ float pow(float a, float b) { return a * b; } }\n"
      "struct Table { const float* at; __device__ float log(float x) const { return at[int(x)]; } "
      "};\n"
      "__global__ void k(float* a, const float* b) {\n  const Table table{b};\n"
      "  a[0] = own::pow(a[1], 2.0f) + table.log(a[2]);\n}",
      "k");
  EXPECT_THAT(kernel.refusal({{"fast_math", {{"divisions", true}}}}),
              HasSubstr("no float function"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

const RecipeStep step{"wave_tail", nlohmann::json::object()};

std::string sum(const std::string& loop) {
  return "__global__ void k(float* out, const float* in, int n) {\n  __shared__ float part[256];\n"
         "  const int t = threadIdx.x;\n  int stride = 1;\n  part[t] = in[t];\n"
         "  __syncthreads();\n" +
         loop + "\n  if (t == 0) out[blockIdx.x] = part[0] + stride;\n}\n";
}

KernelUnderTest kernel(const std::string& loop, support::Extent block = {256, 1, 1}) {
  return KernelUnderTest(sum(loop), "k", {launch({8, 1, 1}, block, {4096, 8192, 9})});
}

std::string refusal(const std::string& loop) { return kernel(loop).refusal({step}); }

TEST(WaveTail, LetsOneWaveFinishASum) {
  auto under_test = kernel(
      "for (unsigned w = blockDim.x / 2; w > 0; w >>= 1) {\n"
      "  if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];\n  __syncthreads();\n}");
  const Variant variant = under_test.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("for (; w > 32; w >>= 1)"));
  EXPECT_THAT(variant.text, HasSubstr("if (threadIdx.x < 64u)\nfor (; w > 0; w >>= 1)"));
  EXPECT_THAT(variant.text, HasSubstr("wavefront"));
  ASSERT_EQ(variant.launch.conditions.size(), 2U);
  EXPECT_EQ(variant.launch.conditions[0].index, 1U);
}

TEST(WaveTail, TakesBarriersThatComeFirstAndCountersOfRounds) {
  auto under_test = kernel(
      "for (int nodes = 128; nodes > 0; nodes /= 2) {\n  __syncthreads();\n"
      "  if (t < nodes) part[stride * (2 * t + 2) - 1] += part[stride * (2 * t + 1) - 1];\n"
      "  stride *= 2;\n}");
  const std::string text = under_test.text({step});
  EXPECT_THAT(text, HasSubstr("__syncthreads();\nfor (; nodes > 0; nodes /= 2)"));
  EXPECT_THAT(text, Not(HasSubstr("threadIdx.x < 64u"))) << "all count the strides";
}

TEST(WaveTail, TakesOtherOperations) {
  auto under_test = kernel(
      "for (int w = 128; w >= 1; w = w / 2) {\n"
      "  if (w > t && part[t + w] > part[t]) { part[t] = fmaxf(part[t], part[t + w]); }\n"
      "  __syncthreads();\n}");
  EXPECT_THAT(under_test.text({step}), HasSubstr("for (; w > 32; w = w / 2)"));
}

TEST(WaveTail, RefusesWhatOtherWavesTakePartIn) {
  const std::string none = "no loop halves";
  const auto loop = [](const std::string& body) {
    return "for (int w = 128; w > 0; w /= 2) { " + body + " }";
  };
  const std::string add = "part[t] += part[t + w];";
  const std::string wait = " __syncthreads();";
  EXPECT_EQ(refusal(loop("if (t < w) " + add + wait)), "");
  EXPECT_THAT(refusal(loop("if (t < 2 * w) " + add + wait)), HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t >= w) " + add + wait)), HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t < w || t == 200) " + add + wait)), HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t < w) " + add + " else part[t] = 0;" + wait)), HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t < w) " + add + wait + " part[t + 1] = 0;" + wait)),
              HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t < w) " + add + wait + " stride += (int)part[9];")),
              HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t < w) { " + add + " break; }" + wait)), HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t < w) out[t] += out[t + w];" + wait)), HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t < w) { " + add + " w = 1; }" + wait)), HasSubstr(none));
  EXPECT_THAT(refusal(loop("if (t < w) " + add)), HasSubstr(none));
  EXPECT_THAT(refusal("for (int w = 1; w < 128; w *= 2) { if (t < w) " + add + wait + " }"),
              HasSubstr(none));
  EXPECT_THAT(refusal("for (int w = 128; w > 1; w /= 2) { if (t < w) " + add + wait + " }"),
              HasSubstr(none));
}

TEST(WaveTail, RefusesWorkgroupsOfSeveralRows) {
  auto rows = kernel(
      "for (int w = 128; w > 0; w /= 2) { if (t < w) part[t] += part[t + w]; "
      "__syncthreads(); }",
      {16, 16, 1});
  EXPECT_THAT(rows.refusal({step}), HasSubstr("several rows"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

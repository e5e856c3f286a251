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

const RecipeStep registers{"wave_tail", {{"registers", true}}};

TEST(WaveTail, KeepsElementsInRegistersWhereRoundsCombineThem) {
  auto under_test = kernel(
      "for (unsigned w = blockDim.x / 2; w > 0; w >>= 1) {\n"
      "  if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];\n  __syncthreads();\n}");
  const std::string text = under_test.text({registers});
  EXPECT_THAT(text, HasSubstr("for (; w > 16; w >>= 1)"));
  EXPECT_THAT(text, HasSubstr("geak_other_part = __shfl_down(geak_own_part, (unsigned)w, 32);"));
  EXPECT_THAT(text, HasSubstr("if (threadIdx.x < w) geak_own_part += geak_other_part;"));
  EXPECT_THAT(text, HasSubstr("if (geak_lane < geak_first) part[geak_lane] = geak_own_part;"));
}

TEST(WaveTail, KeepsPairsOfValueAndIndexInRegisters) {
  KernelUnderTest under_test(
      "__global__ void furthest(const float* in, int* out) {\n"
      "  __shared__ float best[256];\n  __shared__ int where[256];\n  const int t = threadIdx.x;\n"
      "  best[t] = in[t];\n  where[t] = t;\n"
      "  for (int half = 128; half > 0; half /= 2) {\n    __syncthreads();\n"
      "    if (t < half) {\n      const float other = best[half + t];\n"
      "      if (other > best[t] || (other == best[t] && where[t + half] < where[t])) {\n"
      "        best[t] = other;\n        where[t] = where[t + half];\n      }\n    }\n  }\n"
      "  if (t == 0) out[blockIdx.x] = where[0];\n}",
      "furthest", {launch({8, 1, 1}, {256, 1, 1}, {4096, 8192})});
  const std::string text = under_test.text({registers});
  EXPECT_THAT(text, HasSubstr("geak_own_where = geak_other_where;"));
  EXPECT_THAT(text, HasSubstr("__syncthreads();\nconst unsigned geak_lane"));
}

TEST(WaveTail, RefusesRegistersWhereOtherElementsAreReached) {
  const auto refused = [](const std::string& body) {
    return kernel("for (int w = 128; w > 0; w /= 2) { if (t < w) { " + body +
                  " } __syncthreads(); }")
        .refusal({registers});
  };
  EXPECT_EQ(refused("part[t] += part[t + w];"), "");
  EXPECT_THAT(refused("part[t] += part[t + w + 1];"), HasSubstr("other elements"));
  EXPECT_THAT(refused("part[t] += part[2 * t + w];"), HasSubstr("other elements"));
  EXPECT_THAT(refused("part[t + w] += part[t];"), HasSubstr("other elements"));
  EXPECT_THAT(refused("part[t] += part[t + w] + part[0];"), HasSubstr("other elements"));
  EXPECT_THAT(kernel("for (int w = 128; w > 0; w /= 2) { if (t < w) part[t] += part[t + w]; "
                     "stride *= 2; __syncthreads(); }")
                  .refusal({registers}),
              HasSubstr("other elements"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

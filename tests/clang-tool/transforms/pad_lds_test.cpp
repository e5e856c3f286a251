#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const RecipeStep step{"pad_lds", nlohmann::json::object()};

std::string around(const std::string& declaration, const std::string& work) {
  return "__device__ void spread(float* from);\n"
         "__global__ void k(float* out, const float* in, int n) {\n  " +
         declaration + "\n  const int t = threadIdx.x;\n  int stride = n;\n" + work +
         "\n  out[t] = in[t] + stride;\n}";
}
std::string refusal(const std::string& declaration, const std::string& work) {
  return KernelUnderTest(around(declaration, work), "k").refusal({step});
}

TEST(PadLds, LeavesAGapAfterEachRowOfBanks) {
  KernelUnderTest kernel(
      around("__shared__ float part[512];",
             "part[t] = in[t];\n  __syncthreads();\n  part[stride * (2 * t + 2) - 1] += "
             "part[stride * (2 * t + 1) - 1];"),
      "k");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("float part[(512) + (512) / 32];"));
  EXPECT_THAT(text, HasSubstr("_gaps32(stride * (2 * t + 2) - 1)] += part["));
  EXPECT_THAT(text, HasSubstr("return element + element / 32u;"));
}

TEST(PadLds, PadsDoublesByHalfAsManyAndNestedAccesses) {
  KernelUnderTest kernel(
      around("__shared__ double sums[256];\n  __shared__ int order[128];",
             "sums[t * 2] = order[order[t * 4 & 127] * 2];\n  order[t] = (int)sums[t];"),
      "k");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("double sums[(256) + (256) / 16];"));
  EXPECT_THAT(text, HasSubstr("_gaps16(t * 2)"));
  EXPECT_THAT(text, HasSubstr("* 2)]"));
}

TEST(PadLds, GapsAreLeftOnce) {
  KernelUnderTest kernel(
      around("__shared__ float part[512];",
             "part[t] = in[t];\n  __syncthreads();\n  part[stride * (2 * t + 2) - 1] += "
             "part[stride * (2 * t + 1) - 1];"),
      "k");
  EXPECT_THAT(kernel.refusal({step, step}), HasSubstr("have their gaps"));
}

TEST(PadLds, MakesRowsLongerInTemplates) {
  KernelUnderTest kernel(
      "template <int tile>\n__global__ void turn(const float* in, float* out, int n) {\n"
      "  __shared__ float cells[tile][tile];\n"
      "  cells[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];\n"
      "  __syncthreads();\n  out[threadIdx.y * n + threadIdx.x] = "
      "cells[threadIdx.x][threadIdx.y];\n}",
      "turn", {}, {"32"});
  EXPECT_THAT(kernel.text({step}), HasSubstr("float cells[tile][(tile) + 1];"));
}

TEST(PadLds, LeavesRoomForWaveTail) {
  KernelUnderTest kernel(
      around("__shared__ float part[256];",
             "part[t] = in[t];\n  for (int w = 128; w > 0; w /= 2) {\n    __syncthreads();\n"
             "    if (t < w) part[stride * 2 * t] += part[stride * (2 * t + 1)];\n"
             "    stride *= 2;\n  }\n  out[0] = part[0];"),
      "k", {launch({8, 1, 1}, {256, 1, 1}, {4096, 8192, 1})});
  EXPECT_EQ(kernel.refusal({step, {"wave_tail", nlohmann::json::object()}}), "");
}

TEST(PadLds, RefusesArraysThatLeaveOrNeverConflict) {
  const std::string part = "__shared__ float part[256];";
  const std::string none = "no LDS array";
  EXPECT_EQ(refusal(part, "part[t * 2] = 1;"), "");
  EXPECT_THAT(refusal(part, "part[t] = 1;"), HasSubstr(none));
  EXPECT_THAT(refusal(part, "part[stride * 2] = 1;"), HasSubstr(none));
  EXPECT_THAT(refusal(part, "part[t * 2] = 1; spread(part);"), HasSubstr(none));
  EXPECT_THAT(refusal(part, "part[t * 2] = 1; float* p = &part[0]; p[1] = 2;"), HasSubstr(none));
  EXPECT_THAT(refusal(part, "part[t * 2] = 1; float& r = part[0]; r = 2;"), HasSubstr(none));
  EXPECT_THAT(refusal(part, "part[t * 2] = 1; atomicAdd(&part[0], 2.0f);"), HasSubstr(none));
  EXPECT_THAT(refusal(part, "part[t * 2] = 1; *(part + 2) = 2;"), HasSubstr(none));
  EXPECT_THAT(refusal(part, "part[t * 2] = 1; stride = sizeof(part);"), HasSubstr(none));
  EXPECT_THAT(refusal(part, "part[stride++ + t * 2] = 1;"), HasSubstr(none));
  EXPECT_THAT(refusal("__shared__ float rows[32][32];", "rows[t][0] = 1; spread(rows[1]);"),
              HasSubstr(none));
  EXPECT_THAT(refusal("__shared__ float rows[32][32];", "rows[0][t] = 1;"), HasSubstr(none));
  EXPECT_THAT(refusal("extern __shared__ float all[];", "all[t * 2] = 1;"), HasSubstr(none));
  EXPECT_THAT(refusal("__shared__ char bytes[256];", "bytes[t * 2] = 1;"), HasSubstr(none));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const RecipeStep step{"single_round", nlohmann::json::object()};
const std::string head =
    "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) ";

TEST(SingleRound, ALoopOverTheGridBecomesAnItem) {
  KernelUnderTest kernel(
      "__global__ void pick(float* out, const float* in, int n) {\n  " + head +
          "{\n    const float value = in[i];\n    if (value < 0) continue;\n"
          "    for (int k = 0; k < 3; ++k) {\n      if (k == 1) continue;\n"
          "      if (k > 1) break;\n      out[i] += value;\n    }\n    if (value > 8) break;\n"
          "    out[i] += 1;\n  }\n}",
      "pick", {launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 250})});
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("if (i >= (n)) return;"));
  EXPECT_THAT(variant.text, HasSubstr("if (value < 0) return;"));
  EXPECT_THAT(variant.text, HasSubstr("if (k == 1) continue;"));
  EXPECT_THAT(variant.text, HasSubstr("if (value > 8) return;"));
  EXPECT_THAT(variant.guard, HasSubstr("geak_grid.x * geak_block.x >= (long long)"));
  const std::string arguments = "buffer<float>(0, 250, 0, 1), buffer<float>(1, 250, -9, 9), 250";
  kernel.run_alike(variant, {{launch({4, 1, 1}, {64, 1, 1}), arguments}});
  const Variant coarse =
      kernel.variant({step, {"coarsen", {{"factors", {2, 1, 1}}, {"order", "strided"}}}});
  kernel.run_alike(coarse, {{launch({4, 1, 1}, {64, 1, 1}), arguments}});
}

TEST(SingleRound, MakesRoomForTilesOfWhatItemsShare) {
  KernelUnderTest kernel(
      "__global__ void nearest(const float* a, const float* b, float* out, int n, int m) {\n"
      "  const int batch = blockIdx.y;\n  " +
          head +
          "{\n    float best = 1e9f;\n    for (int k = 0; k < m; ++k) {\n"
          "      const float d = a[i] - b[batch * m + k];\n      best = fminf(best, d * d);\n    "
          "}\n"
          "    out[batch * n + i] = best;\n  }\n}",
      "nearest", {launch({2, 2, 1}, {64, 1, 1}, {4096, 8192, 1 << 20, 100, 90})});
  const RecipeStep tiles{"stage_tiles", {{"tile", 64}}};
  EXPECT_NE(kernel.refusal({tiles}), "");
  const Variant variant = kernel.variant({step, tiles});
  kernel.run_alike(variant, {{launch({2, 2, 1}, {64, 1, 1}),
                              "buffer<float>(0, 100, -9, 9), buffer<float>(1, 180, -9, 9), "
                              "buffer<float>(2, 200, 0, 1), 100, 90"}});
}

TEST(SingleRound, RefusesWhatMayHaveMoreRounds) {
  const auto refusal = [](const std::string& body, std::vector<SeenLaunch> seen = {}) {
    return KernelUnderTest("__global__ void k(int* a, int n) {\n" + body + "\n}", "k",
                           std::move(seen))
        .refusal({step});
  };
  EXPECT_EQ(refusal(head + "a[i] = 1;"), "");
  EXPECT_THAT(refusal(head + "a[i] = 1;", {launch({2, 1, 1}, {64, 1, 1}, {4096, 200})}),
              HasSubstr("smaller than the number of items"));
  EXPECT_THAT(refusal(head + "a[i] = 1;\n a[0] = 2;"), HasSubstr("does not end with a loop"));
  EXPECT_THAT(refusal("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += "
                      "blockDim.x) a[i] = 1;"),
              HasSubstr("does not end with a loop"));
  EXPECT_THAT(refusal("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x "
                      "* gridDim.x) { a[i] = 1; i += 2; }"),
              HasSubstr("does not end with a loop"));
  EXPECT_THAT(refusal(head + "{ if (a[i]) n = 3; }"), HasSubstr("cannot tell how many"));
  EXPECT_THAT(refusal("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a[0]; i += "
                      "blockDim.x * gridDim.x) a[i + 1] = 1;"),
              HasSubstr("cannot tell how many"));
  EXPECT_THAT(refusal("int k = 1;\n" + head + "{ int k = 3; a[i] = k; }\n"),
              HasSubstr("a name again"));
  EXPECT_THAT(refusal("const int i = 1;\n" + head + "a[i] = i;\n"), HasSubstr("a name again"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

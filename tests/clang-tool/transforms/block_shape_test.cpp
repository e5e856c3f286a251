#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using support::Extent;
using ::testing::HasSubstr;

RecipeStep shape(const Extent& block) { return {"block_shape", {{"block", block}}}; }

const char* const guarded =
    "__global__ void k(float* a, int w, int h) {\n"
    "  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "  if (x >= w || y >= h) return;\n  a[y * w + x] = 1;\n}";

TEST(BlockShape, CoversTheSameItems) {
  KernelUnderTest kernel(guarded, "k", {launch({4, 4, 1}, {16, 16, 1}, {4096, 60, 60})});
  const Variant variant = kernel.variant({shape({64, 4, 1})});
  EXPECT_EQ(variant.launch.axes[0].block_value, 64U);
  EXPECT_EQ(variant.launch.axes[1].grid, support::GridRule::cover);
  EXPECT_THAT(variant.guard, HasSubstr("(long long)(h)"));
}

TEST(BlockShape, NeedsAnEvenDivisionWithoutAGuard) {
  const std::string plain =
      "__global__ void k(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }";
  KernelUnderTest even(plain, "k", {launch({8, 1, 1}, {64, 1, 1}, {4096})});
  const Variant variant = even.variant({shape({128, 1, 1})});
  EXPECT_EQ(variant.launch.conditions.front().kind, support::Condition::Kind::items_multiple);
  KernelUnderTest odd(plain, "k", {launch({9, 1, 1}, {64, 1, 1}, {4096})});
  EXPECT_THAT(odd.refusal({shape({128, 1, 1})}),
              HasSubstr("the number of work-items along x is no multiple of 128"));
}

TEST(BlockShape, ComposesWithCoarsening) {
  KernelUnderTest kernel(guarded, "k", {launch({4, 4, 1}, {16, 16, 1}, {4096, 60, 60})});
  const Variant variant = kernel.variant(
      {shape({64, 1, 1}), {"coarsen", {{"factors", {1, 4, 1}}, {"order", "consecutive"}}}});
  EXPECT_EQ(variant.launch.axes[1].grid_value, 4U);
  EXPECT_EQ(variant.launch.axes[1].block_value, 1U);
}

TEST(BlockShape, WorkgroupsThatShareOutRoundsMayHaveAnySize) {
  KernelUnderTest rows(
      "__global__ void k(float* a, const float* b, int d) {\n"
      "  const int first = threadIdx.x, row = blockIdx.x;\n"
      "  for (int i = first; i < d; i += blockDim.x) a[row * d + i] = 2 * b[row * d + i];\n}",
      "k", {launch({100, 1, 1}, {1024, 1, 1}, {4096, 8192, 5000})});
  const Variant alone = rows.variant({shape({256, 1, 1})});
  EXPECT_EQ(alone.launch.axes[0].block_value, 256U);
  EXPECT_EQ(alone.launch.axes[0].grid, support::GridRule::keep);
  EXPECT_THAT(alone.guard, HasSubstr("apart(a, b)"));
  KernelUnderTest grid(
      "__global__ void k(float* a, int n) {\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)\n"
      "    a[i] *= 2;\n}",
      "k", {launch({100, 1, 1}, {1024, 1, 1}, {4096, 5000})});
  EXPECT_EQ(grid.variant({shape({256, 1, 1})}).launch.axes[0].grid, support::GridRule::cover);
}

TEST(BlockShape, RefusesRoundsBesideOtherUsesOfThePlace) {
  for (const std::string more :
       {"if (threadIdx.x == 0) total[0] = d;", "atomicAdd(total, 1);", "total[row] = blockDim.x;",
        "total[row] = d;", "const int t = threadIdx.x; total[row] = t;"}) {
    KernelUnderTest kernel(
        "__global__ void k(float* a, int* total, int d) {\n  const int row = blockIdx.x;\n"
        "  for (int i = threadIdx.x; i < d; i += blockDim.x) a[row * d + i] = 2;\n" +
            more + "\n}",
        "k", {launch({100, 1, 1}, {1024, 1, 1}, {4096, 8192, 5000})});
    EXPECT_NE(kernel.refusal({shape({256, 1, 1})}), "") << more;
  }
}

TEST(BlockShape, RefusesKernelsThatKnowTheirWorkgroup) {
  const std::vector<SeenLaunch> seen = {launch({8, 1, 1}, {64, 1, 1}, {4096})};
  EXPECT_THAT(KernelUnderTest("__global__ void k(float* a) { a[threadIdx.x] = 1; }", "k", seen)
                  .refusal({shape({128, 1, 1})}),
              HasSubstr("in other ways"));
  KernelUnderTest kernel(guarded, "k", {launch({4, 4, 1}, {16, 16, 1}, {4096, 60, 60})});
  EXPECT_THAT(kernel.refusal({shape({2048, 1, 1})}), HasSubstr("1 to 1024"));
  EXPECT_THAT(kernel.refusal({shape({16, 16, 1})}), HasSubstr("already"));
  EXPECT_THAT(kernel.refusal({{"specialize", {{"block", true}}}, shape({64, 4, 1})}),
              HasSubstr("relies on the workgroup's size"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing

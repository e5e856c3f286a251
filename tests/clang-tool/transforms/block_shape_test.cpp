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
  EXPECT_THAT(odd.refusal({shape({128, 1, 1})}), HasSubstr("do not divide evenly"));
}

TEST(BlockShape, ComposesWithCoarsening) {
  KernelUnderTest kernel(guarded, "k", {launch({4, 4, 1}, {16, 16, 1}, {4096, 60, 60})});
  const Variant variant = kernel.variant(
      {shape({64, 1, 1}), {"coarsen", {{"factors", {1, 4, 1}}, {"order", "consecutive"}}}});
  EXPECT_EQ(variant.launch.axes[1].grid_value, 4U);
  EXPECT_EQ(variant.launch.axes[1].block_value, 1U);
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
